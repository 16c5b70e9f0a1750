//! NFS over RPC-over-RDMA, in memory: a folder that is exported, mounted and used.

use crate::prelude::*;
use std::fs;
use warpscope_nfs::client::{Client, Files, Session};
use warpscope_nfs::rpc::Credential;
use warpscope_nfs::{ExportOptions, Server};

/// A session over a pair whose server exports a folder.
struct Mounted(RpcPair<Server>);

impl Session for Mounted {
    type Error = CallFailure;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, CallFailure> {
        self.0.call(INITIATOR, call);
        self.0.run();
        let (_, ended) = self.0.ended[INITIATOR].pop().expect("a call that ended");
        ended.map(ReducedReply::whole_with_last)
    }
}

#[test]
fn a_folder_is_used_in_every_form_of_call() {
    for form in [CallForm::Shortest, CallForm::Chunked, CallForm::Long] {
        for threshold in [1024, 4096] {
            let folder = tempfile::tempdir().unwrap();
            let sizes = |it| RpcRdmaConfig { send_size: threshold, receive_size: threshold, ..it };
            let client = RpcRdmaConfig { form, ..sizes(RpcRdmaConfig::client(0)) };
            let server = sizes(RpcRdmaConfig::server(8));
            let export = Server::new(folder.path(), ExportOptions::default()).unwrap();
            let other = Server::new(folder.path(), ExportOptions::default()).unwrap();
            let pair = RpcPair::answering([client, server], |_| {}, [other, export]);
            let client = Client::new(1, Credential::default()).unwrap();
            let mut files = Files::mount(Mounted(pair), client, b"/").unwrap();
            let data: Vec<u8> = (0..200_003_u32).map(|at| (at % 251) as u8).collect();
            files.make_directory(b"/a folder").unwrap();
            for length in [0, 1, 2, 3, 900, 1000, 200_003] {
                let name = format!("/a folder/file {length}");
                let put = &data[..length];
                files.write(name.as_bytes(), &mut &put[..]).unwrap();
                assert_eq!(fs::read(folder.path().join(&name[1..])).unwrap(), put);
                let mut got = Vec::new();
                files.read(name.as_bytes(), &mut got).unwrap();
                assert_eq!(got, put, "{length}");
            }
            files.make_link(b"/link", b"a folder").unwrap();
            assert_eq!(files.read_link(b"/link").unwrap(), b"a folder");
            files.rename(b"/a folder/file 1", b"/one").unwrap();
            files.remove(b"/a folder/file 2").unwrap();
            assert_eq!(files.list(b"/a folder").unwrap().len(), 5);
            assert!(files.read_link(b"/one").is_err());
            let Mounted(mut pair) = files.unmount().unwrap();
            pair.close_clean(&format!("{form:?}, {threshold}"));
        }
    }
}
