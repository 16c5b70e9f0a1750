//! Headers as data: where each field lies, by the words of the documents.
