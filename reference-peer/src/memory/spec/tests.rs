use super::*;
use crate::memory::{Accessor, Base, HashAlgorithm, Memory, Rights};
use std::path::PathBuf;

const FULL: &str = "name=log,size=1MiB,rights=read+write+atomic+flush+verify,base=0x1000,scope=pd:3,\
    hash=blake3,file=/var/log.bin,fill=text:a\\, b\\\\c,window=head:0:64:read:stream,\
    window=tail:0x40:1KiB";

fn full() -> RegionSpec {
    RegionSpec {
        name: "log".to_owned(),
        size: Some(1 << 20),
        rights: Rights::ALL,
        base: Base::Address(0x1000),
        scope: Scope::ProtectionDomain(3),
        hash: HashAlgorithm::Blake3,
        file: Some(PathBuf::from("/var/log.bin")),
        fill: Fill::Text("a, b\\c".to_owned()),
        windows: vec![
            WindowSpec {
                name: "head".to_owned(),
                offset: 0,
                length: 64,
                rights: Some(Rights::READ),
                scope: Some(Scope::Stream),
            },
            WindowSpec {
                name: "tail".to_owned(),
                offset: 64,
                length: 1024,
                rights: None,
                scope: None,
            },
        ],
    }
}

#[test]
fn every_key_is_read() {
    assert_eq!(FULL.parse(), Ok(full()));
    let yaml = "
- name: log
  size: 1MiB
  rights: read+write+atomic+flush+verify
  base: 0x1000
  scope: pd:3
  hash: blake3
  file: /var/log.bin
  fill: 'text:a, b\\c'
  windows:
    - { name: head, offset: 0, length: 64, rights: read, scope: stream }
    - { name: tail, offset: 0x40, length: 1KiB }
- { name: least, size: 4096 }
";
    let specs: Vec<RegionSpec> = serde_saphyr::from_str(yaml).unwrap();
    assert_eq!(specs[0], full());
    assert_eq!(Ok(&specs[1]), "name=least,size=4096".parse().as_ref());
    assert_eq!((specs[1].rights, specs[1].base), (Rights::READ | Rights::WRITE, Base::Zero));
    assert_eq!((specs[1].scope, specs[1].size), (Scope::Shared, Some(4096)));
}

#[test]
fn errors_name_the_key_and_say_what_to_write() {
    let sizes = "write a number of bytes, such as 4096, 0x1000, 64KiB, 1MiB or 1GiB";
    for (wrong, expected) in [
        ("size=1MB", sizes),
        ("size=17179869184GiB", sizes),
        ("rights=read+wriet", "`wriet` is not a right; did you mean `write`?"),
        ("hash=sha-256", "did you mean `sha256`?"),
        ("hash=md5", "expected one of crc32c, sha256, blake3"),
        ("scope=pd:x", "write a Protection Domain, such as pd:3"),
        ("base=top", "write zero, or the Tagged Offset of the first byte, such as 0x1000 or 4096"),
        ("fill=ones", "write zero, pattern or text:..."),
        ("window=w:0", "write NAME:OFFSET:LENGTH, and :RIGHTS:SCOPE if they differ"),
    ] {
        let error = format!("name=a,{wrong}").parse::<RegionSpec>().unwrap_err().to_string();
        assert_eq!(error, format!("`{wrong}`: {expected}"));
    }
    let keys = "name, size, rights, base, scope, hash, file, fill, window";
    let ways = "write size=64KiB, fill=text:... or the file=PATH that holds the bytes";
    for (text, expected) in [
        ("name=a,siez=4", "`siez` is not a key of a region; did you mean `size`?"),
        ("name=a,zzz=4", &format!("`zzz` is not a key of a region; expected one of {keys}")),
        ("name=a,size", "`size` has no value: write `size=...`, with a comma before the next key"),
        ("name=a,size=4,size=5", "duplicate key `size`"),
        ("size=4", "the key `name` is missing: write name=NAME"),
        ("name=a", &format!("the key `size` is missing: {ways}")),
    ] {
        assert_eq!(text.parse::<RegionSpec>().unwrap_err().to_string(), expected, "{text}");
    }
    for (yaml, expected) in [
        ("- { name: a, size: 1MB }", "`1MB`: write a number of bytes"),
        ("- { name: a, size: -1 }", "`-1`: write a number of bytes"),
        ("- { name: a, siez: 1 }", "siez"),
        ("- { size: 1 }", "name"),
    ] {
        let error = serde_saphyr::from_str::<Vec<RegionSpec>>(yaml).unwrap_err();
        assert!(error.to_string().contains(expected), "{yaml}: {error}");
        assert_eq!(error.location().map(|place| place.line()), Some(1), "{yaml}");
    }
    let specs = ["name=a,size=4", "name=b,size=4,window=a:0:1"].map(|it| it.parse().unwrap());
    let same = RegionSpec::check_names(&specs);
    assert_eq!(same, Err(SpecError::SameName("a".to_owned())));
    assert_eq!(RegionSpec::check_names(&specs[..1]), Ok(()));
}

fn memory() -> Memory {
    Memory::seeded(1)
}

#[test]
fn a_described_region_is_made_with_its_windows() {
    let mut memory = memory();
    let here = Accessor { stream: 5, protection_domain: 2 };
    let neighbour = Accessor { stream: 6, protection_domain: 2 };
    let spec = "name=a,size=16,fill=text:iwarp,base=0x100,window=w:2:4:write:stream";
    let spec: RegionSpec = spec.parse().unwrap();
    let made = spec.register(&mut memory, here).unwrap();
    let [region, window] = &made[..] else { panic!("{made:?}") };
    assert_eq!((&region.name[..], region.tagged_offset, region.length), ("a", 0x100, 16));
    assert_eq!((&window.name[..], window.tagged_offset, window.length), ("w", 0x102, 4));
    assert_eq!(memory.bytes(region.steering_tag).unwrap(), b"iwarp\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(memory.bytes(window.steering_tag).unwrap(), b"arp\0");
    let reads = memory.check(neighbour, region.steering_tag, 0x100, 16, Rights::READ);
    assert!(reads.is_ok());
    assert!(memory.check(neighbour, window.steering_tag, 0x102, 4, Rights::WRITE).is_err());
    assert!(memory.check(here, window.steering_tag, 0x102, 4, Rights::WRITE).is_ok());
    assert!(memory.check(here, window.steering_tag, 0x102, 4, Rights::READ).is_err());
}

#[test]
fn a_window_outside_takes_its_region_along() {
    let mut memory = memory();
    let here = Accessor { stream: 5, protection_domain: 2 };
    let spec: RegionSpec = "name=a,size=16,window=v:0:4,window=w:14:4".parse().unwrap();
    let error = spec.register(&mut memory, here).unwrap_err().to_string();
    assert_eq!(error, "region `a`: 4 bytes from 14 do not lie within the region");
    assert_eq!(format!("{memory:?}"), "Memory { tags: {}, .. }");
}

/// A file that has something keeps it; a new one gets the fill at once.
#[test]
fn a_file_is_filled_when_it_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("region");
    let here = Accessor { stream: 5, protection_domain: 2 };
    let of = |text: &str| RegionSpec { file: Some(path.clone()), ..text.parse().unwrap() };
    let mut first = memory();
    of("name=a,size=8,fill=pattern").register(&mut first, here).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), [0, 7, 14, 21, 28, 35, 42, 49]);
    let refused = of("name=b,size=8").register(&mut memory(), here);
    assert!(matches!(refused, Err(RegisterError::File(name, _)) if name == "b"));
    drop(first);
    let mut second = memory();
    let made = of("name=a,size=8,fill=text:other").register(&mut second, here).unwrap();
    let bytes = second.bytes(made[0].steering_tag).unwrap();
    assert_eq!(bytes, [0, 7, 14, 21, 28, 35, 42, 49]);
}

#[test]
fn rights_read_as_they_are_written() {
    for (text, shown) in [
        ("read+write", "read+write"),
        ("flush-visible+flush-persistent", "flush"),
        ("verify+flush-visible", "flush-visible+verify"),
        ("all", "all"),
        ("none", "none"),
    ] {
        let rights: Rights = text.parse().unwrap();
        assert_eq!(rights.to_string(), shown);
        assert_eq!(shown.parse(), Ok(rights));
    }
}
