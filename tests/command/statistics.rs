//! `-z io,phs`.

use super::dissected;

const RULE: &str = "===================================================================";

#[test]
fn protocols_and_accounting() {
    let text = dissected(&["-q", "-z", "io,phs"]);
    let table = format!(
        "\n{RULE}\nProtocol Hierarchy Statistics\nFilter: \n\n\
         eth                                      frames:10 bytes:684\n  \
           ip                                     frames:9 bytes:642\n    \
             tcp                                  frames:9 bytes:642\n      \
               iwarp_mpa                          frames:5 bytes:426\n        \
                 iwarp_ddp_rdmap                  frames:3 bytes:278\n          \
                   data                           frames:2 bytes:172\n  \
           arp                                    frames:1 bytes:42\n{RULE}\n"
    );
    assert_eq!(text[..table.len().min(text.len())], table, "{text}");
    let accounting: Vec<(&str, &str)> = text[table.len()..]
        .lines()
        .filter_map(|line| line.trim().rsplit_once(' '))
        .map(|(name, count)| (name.trim(), count))
        .collect();
    for expected in [
        ("connections", "1"),
        ("setup frames", "2"),
        ("FPDUs", "3"),
        ("CRC good", "2"),
        ("CRC bad", "1"),
        ("complete messages", "3"),
        ("Write", "1"),
        ("Send", "1"),
        ("Read Request", "1"),
        ("bytes skipped", "0"),
    ] {
        assert!(accounting.contains(&expected), "{expected:?} in {text}");
    }
}

#[test]
fn a_filter_of_its_own() {
    let text = dissected(&["-q", "-z", "io,phs,tcp.flags.syn == 1", "-Y", "arp"]);
    assert!(text.contains("Filter: tcp.flags.syn == 1\n"), "{text}");
    assert!(
        text.contains("    tcp                                  frames:2 bytes:108\n"),
        "{text}"
    );
    assert!(!text.contains("iWARP") && !text.contains("arp  "), "{text}");
}

#[test]
fn statistics_follow_the_frames() {
    let text = dissected(&["-z", "io,phs", "-Y", "arp"]);
    assert!(text.starts_with("    9   0.008008 "), "{text}");
    assert!(text.contains("\n\n===") && text.contains("frames:10 "), "{text}");
}

#[test]
fn ports_decide_what_is_iwarp() {
    for rule in ["tcp.port==7174,data", "tcp.port==7000-8000,none", "tcp.port==7174:1,data"] {
        let text = dissected(&["-q", "-z", "io,phs", "-d", rule]);
        let line = "      data                               frames:5 bytes:426\n";
        assert!(text.contains(line) && !text.contains("iwarp"), "{rule}: {text}");
    }
    let text = dissected(&["-q", "-z", "io,phs", "-d", "tcp.port==40000,iwarp_mpa"]);
    assert!(text.contains("iwarp_ddp_rdmap"), "{text}");
}

#[test]
fn profiles_decide_what_an_opcode_means() {
    for profile in ["all", "rfc5040", "rfc7306", "ext-v2", "commit"] {
        let preference = format!("iwarp.profile:{profile}");
        let text = dissected(&["-q", "-z", "io,phs", "-o", &preference]);
        assert!(text.contains("Read Request"), "{profile}: {text}");
    }
}

/// The counts are those of tshark 4.0, which sets messages put together from chunks apart.
#[test]
fn remote_procedure_calls_by_what_they_came_by() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("traces/captures");
    let mut command = super::warpscope(&["dissect", "-q", "-z", "io,phs", "-r"]);
    command.arg(folder.join("g-nfs-v3-cut.pcap.zst"));
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let table = "
      rpc                                frames:6 bytes:720
        mount                            frames:4 bytes:472
      iwarp_mpa                          frames:2489 bytes:3024970
        iwarp_ddp_rdmap                  frames:2487 bytes:3024774
          rpcordma                       frames:68 bytes:17364
            rpc                          frames:51 bytes:13046
              nfs                        frames:45 bytes:11886
              nfsacl                     frames:6 bytes:1160
          data                           frames:2389 bytes:2995106
          rpc                            frames:13 bytes:10298
            nfs                          frames:13 bytes:10298
===";
    assert!(text.contains(table), "{text}");
}
