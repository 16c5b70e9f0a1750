//! What a test needs of the machine, and what happens where it is not there.

/// Passes on what a test needs. Where it is not there, the test is to be skipped; it fails instead when the
/// environment variable `WARPSCOPE_REQUIRE` (a list with commas) names `tool`.
pub fn required<T>(tool: &str, found: Option<T>) -> Option<T> {
    if found.is_none() {
        let required = std::env::var("WARPSCOPE_REQUIRE").unwrap_or_default();
        let named = required.split(',').any(|name| name.trim() == tool);
        assert!(!named, "WARPSCOPE_REQUIRE names {tool}, and it is not here as the test needs it");
        println!("skipped: this test needs {tool}");
    }
    found
}
