//! Command lines that cannot be followed.

use crate::warpscope;

/// The words that a command line is refused with.
fn refused(arguments: &[&str]) -> String {
    let assert = warpscope(&["peer"]).args(arguments).assert().code(2).stdout("");
    let words = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(words.starts_with("warpscope: ") && words.ends_with('\n'), "{words}");
    words["warpscope: ".len()..].to_owned()
}

#[test]
fn command_lines_that_cannot_be_followed() {
    const HERE: &str = "127.0.0.1:0";
    for (arguments, words) in [
        (&["-s", "pong"][..], "-s pong: there is no such service; there are test-ulp, passive"),
        (
            &["-s", "pingpong", "-o", "sise=1"],
            "-o sise=1: pingpong has no such option; it has count",
        ),
        (
            &["-s", "pingpong", "-o", "size"],
            "-o size: an option of a service is given as NAME=VALUE",
        ),
        (&["-s", "pingpong", "-o", "size=x"], "-o size=x: no such value; size is: bytes that go"),
        (
            &["--bug", "crc-zer"],
            "--bug: no bug has the name \"crc-zer\": did you mean crc-zero? `warpscope peer bugs`",
        ),
        (
            &["--profile", "x"],
            "--profile x: a profile is one of rfc5040, rfc7306, ext-v2, commit, all",
        ),
        (&["--region", "name=log"], "--region name=log: "),
        (
            &["--region", "name=a,size=8,right=all"],
            "--region name=a,size=8,right=all: `right` means",
        ),
        (&["--region", "name=a,size=8,rights=x"], "--region name=a,size=8,rights=x: "),
        (&["--regions", "/nowhere/r.yaml"], "cannot read /nowhere/r.yaml; check the name"),
        (&["--private-data", "hex:0"], "--private-data hex:0: behind hex: come pairs of"),
        (&["--setup-timeout=-1"], "--setup-timeout -1: give seconds, as 2 or 0.5"),
        (
            &["--peer-to-peer", "--revision", "1"],
            "--peer-to-peer needs revision 2 with enhanced data",
        ),
        (&["--revision", "3"], "invalid value '3' for '--revision <N>'"),
        (&["--no-capture"], "the following required arguments were not provided:"),
        (&["--write-pcap", "/nowhere/x.pcapng"], "/nowhere/x.pcapng: cannot write: "),
    ] {
        let told = refused(&[&["listen", HERE], arguments].concat());
        assert!(told.starts_with(words), "{arguments:?}: {told}");
    }
    for (address, words) in [
        ("nowhere", "nowhere: invalid socket address; give HOST:PORT, as 192.0.2.7:7174"),
        ("127.0.0.1:70000", "127.0.0.1:70000: invalid port value; give HOST:PORT, as "),
    ] {
        let told = refused(&["listen", address]);
        assert!(told.starts_with(words), "{told}");
        assert_eq!(refused(&["connect", address]), told);
    }
    let told = refused(&["connect", HERE, "-s", "perftest"]);
    assert!(told.starts_with("-s perftest is a server"), "{told}");
    let told = refused(&["bugs", "--layer", "tcp"]);
    assert!(
        told.starts_with("--layer tcp: no bug is of that layer; there are setup, mpa"),
        "{told}"
    );
}

#[test]
fn an_address_in_use_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = refused(&["listen", &address]);
    let words = format!("cannot listen at {address}; is another program there?");
    assert!(told.starts_with(&words), "{told}");
}
