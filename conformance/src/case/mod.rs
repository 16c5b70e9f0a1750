//! The case language: from YAML to instances whose steps a runner carries out.
