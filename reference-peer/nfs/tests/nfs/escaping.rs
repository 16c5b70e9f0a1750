//! Nothing outside the folder is named, read, written or revealed.

use crate::prelude::*;
use std::os::unix::fs::symlink;

#[test]
fn names_that_are_paths_are_refused() {
    let (folder, judged) = server();
    let secret = folder.path().parent().unwrap().join(format!("secret-{}", std::process::id()));
    fs::write(&secret, "secret").unwrap();
    let mut files = files(judged);
    let root = files.handle(b"").unwrap();
    let file_name = secret.file_name().unwrap().to_str().unwrap();
    let new = NewAttributes::default();
    files.write(b"file", &mut &b"x"[..]).unwrap();
    let file = files.handle(b"file").unwrap();
    let above = format!("../{file_name}");
    for name in [above.as_bytes(), secret.to_str().unwrap().as_bytes(), b"a/b", b"/", b"", b"a\0b"]
    {
        let found = [
            failure(&mut files, |client| client.lookup(&root, name)),
            failure(&mut files, |client| client.create(&root, name, false, &new)),
            failure(&mut files, |client| client.make_directory(&root, name, &new)),
            failure(&mut files, |client| client.make_link(&root, name, b"x", &new)),
            failure(&mut files, |client| client.remove(&root, name)),
            failure(&mut files, |client| client.remove_directory(&root, name)),
            failure(&mut files, |client| client.rename((&root, name), (&root, b"got"))),
            failure(&mut files, |client| client.rename((&root, b"file"), (&root, name))),
            failure(&mut files, |client| client.link(&file, &root, name)),
        ];
        assert_eq!(found, [Status::ACCES; 9], "{name:?}");
    }
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    fs::remove_file(&secret).unwrap();
}

#[test]
fn above_the_folder_there_is_only_the_folder() {
    let (folder, judged) = server();
    fs::create_dir(folder.path().join("d")).unwrap();
    let mut files = files(judged);
    let root = files.handle(b"").unwrap();
    assert_eq!(files.handle(b"..").unwrap(), root);
    assert_eq!(files.handle(b"d/../../../d/..").unwrap(), root);
    assert_eq!(files.handle(b"./d/.").unwrap(), files.handle(b"d").unwrap());
    let own = files.attributes(b"").unwrap().file_id;
    let listed = files.call(|client| client.read_directory(&root, (0, [0; 8]), 4096)).unwrap();
    let above = listed.entries.iter().find(|entry| entry.name == b"..").unwrap();
    assert_eq!(above.file_id, own);
    let new = NewAttributes::default();
    for name in [&b"."[..], b".."] {
        let made = failure(&mut files, |client| client.make_directory(&root, name, &new));
        assert_eq!(made, Status::EXIST);
        let removed = failure(&mut files, |client| client.remove_directory(&root, name));
        assert_eq!(removed, Status::INVAL);
        let moved = failure(&mut files, |client| client.rename((&root, b"d"), (&root, name)));
        assert_eq!(moved, Status::INVAL);
    }
}

#[test]
fn symbolic_links_are_not_followed() {
    let (folder, judged) = server();
    let outside = tempfile::TempDir::new().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), folder.path().join("file")).unwrap();
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("d/secret"), "own").unwrap();
    let mut files = files(judged);
    let link = files.handle(b"out").unwrap();
    assert_eq!(files.attributes(b"out").unwrap().file_type, FileType::SymbolicLink);
    let below = failure(&mut files, |client| client.lookup(&link, b"secret"));
    assert_eq!(below, Status::NOTDIR);
    let new = NewAttributes::default();
    let made = failure(&mut files, |client| client.create(&link, b"x", false, &new));
    assert_eq!(made, Status::NOTDIR);
    let file = files.handle(b"file").unwrap();
    assert_eq!(failure(&mut files, |client| client.read(&file, 0, 9)), Status::INVAL);
    assert_eq!(failure(&mut files, |client| client.write(&file, 0, b"x", 2)), Status::INVAL);
    let size = NewAttributes { size: Some(0), mode: Some(0), ..NewAttributes::default() };
    let failed = failure(&mut files, |client| client.set_attributes(&file, &size, None));
    assert_eq!(failed, Status::INVAL);
    let root = files.handle(b"").unwrap();
    let failed = failure(&mut files, |client| client.create(&root, b"file", false, &size));
    assert_eq!(failed, Status::EXIST);
    // A directory that is replaced by a link to elsewhere: the handle stays with its file, and is never
    // what goes by its name elsewhere.
    let own = files.handle(b"d/secret").unwrap();
    fs::rename(folder.path().join("d"), folder.path().join("was-d")).unwrap();
    symlink(outside.path(), folder.path().join("d")).unwrap();
    assert_eq!(files.call(|client| client.read(&own, 0, 9)).unwrap().data, b"own");
    fs::remove_dir_all(folder.path().join("was-d")).unwrap();
    assert_eq!(failure(&mut files, |client| client.read(&own, 0, 9)), Status::STALE);
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
}
