//! Modules depend on each other only in the direction drawn in `src/lib.rs`, only `python` uses
//! PyO3, `unsafe` is limited to one module, and every file of tests and benches is compiled.

use std::fs;
use std::path::Path;

/// A source file: its top-level module, its path below `src`, and its tokens.
struct Source {
    module: String,
    path: String,
    words: Vec<String>,
}

/// The names and single characters of the code, without comments.
fn words(text: &str) -> Vec<String> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    for line in text.lines() {
        let mut code = line.split("//").next().unwrap_or_default().trim_start();
        while let Some(first) = code.chars().next() {
            let name = code.find(|c| !in_name(c)).unwrap_or(code.len());
            let (word, rest) = code.split_at(name.max(first.len_utf8()));
            words.push(word.into());
            code = rest.trim_start();
        }
    }
    words
}

fn collect(folder: &Path, below: &str, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("src can be listed") {
        let path = entry.expect("src can be listed").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            collect(&path, &format!("{below}{name}/"), sources);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("a source file can be read");
            let path = format!("{below}{name}");
            let module = path.split(['/', '.']).next().unwrap_or_default();
            sources.push(Source {
                module: module.into(),
                words: words(&text),
                path,
            });
        }
    }
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    collect(&folder, "", &mut sources);
    assert!(
        sources.len() > 20,
        "{} files under {folder:?}",
        sources.len()
    );
    sources
}

/// The groups of modules in the drawing in `src/lib.rs`, from left to right.
fn direction() -> Vec<Vec<String>> {
    let text = include_str!("../../src/lib.rs");
    let drawing = text.lines().find(|line| line.contains(" -> "));
    let drawing = drawing.expect("src/lib.rs draws the direction of its modules");
    let step = |step: &str| -> Vec<String> {
        let names = words(step).into_iter();
        names
            .filter(|name| name.starts_with(char::is_alphabetic))
            .collect()
    };
    let drawing = drawing.trim_start_matches("//!");
    drawing.split("->").map(step).collect()
}

/// The names that follow `crate::` and `super::`, including groups in braces.
fn names_used(words: &[String]) -> Vec<&str> {
    let mut names = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let rest = words.get(i + 3..).unwrap_or_default();
        let is_path = words.get(i + 1..i + 3).is_some_and(|w| w == [":", ":"]);
        if !is_path || !(word == "crate" || word == "super") {
            continue;
        }
        let mut depth = 0;
        for (k, word) in rest.iter().enumerate() {
            match word.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                name if depth == 0
                    || (depth == 1 && (rest[k - 1] == "{" || rest[k - 1] == ",")) =>
                {
                    names.push(name);
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

/// Modules that `source` uses although they are not left of it.
fn against_the_direction<'s>(source: &'s Source, steps: &[Vec<String>]) -> Vec<&'s str> {
    let step_of = |name: &str| steps.iter().position(|step| step.iter().any(|m| m == name));
    let own = step_of(&source.module);
    let mut names = names_used(&source.words);
    names.retain(|name| match (own, step_of(name)) {
        (_, Some(0)) | (_, None) => false,
        (Some(own), Some(used)) => used > own || (used == own && *name != source.module),
        (None, Some(_)) => true,
    });
    names
}

#[test]
fn a_module_uses_only_itself_and_modules_left_of_it() {
    let steps = direction();
    for source in sources().iter().filter(|source| source.path != "lib.rs") {
        assert!(
            steps.concat().contains(&source.module),
            "{}: not drawn",
            source.path
        );
        let wrong = against_the_direction(source, &steps);
        assert!(wrong.is_empty(), "{} uses {wrong:?}", source.path);
    }
}

#[test]
fn only_python_uses_pyo3_and_numpy() {
    for source in sources().iter().filter(|source| source.module != "python") {
        let known = source.words.iter().find(|w| *w == "pyo3" || *w == "numpy");
        assert_eq!(known, None, "in {}", source.path);
    }
}

/// Modules of a crate root that do not forbid unsafe code.
fn modules_that_may_be_unsafe(root: &str) -> Vec<&str> {
    let lines: Vec<&str> = root.lines().collect();
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let declared = line.trim_start_matches("pub ").strip_prefix("mod ");
        let Some(name) = declared.and_then(|rest| rest.strip_suffix(';')) else {
            continue;
        };
        let before = lines[..place].iter().rev();
        let mut attributes = before.take_while(|line| line.starts_with("#["));
        if !attributes.any(|line| *line == "#[forbid(unsafe_code)]") {
            found.push(name);
        }
    }
    found
}

#[test]
fn unsafe_code_is_limited_to_simd() {
    let root = include_str!("../../src/lib.rs");
    assert_eq!(modules_that_may_be_unsafe(root), ["simd"]);
    for source in sources() {
        let is_unsafe = source.words.iter().any(|word| word == "unsafe");
        assert!(
            source.module == "simd" || !is_unsafe,
            "unsafe in {}",
            source.path
        );
    }
}

/// The library has no test program of its own (`test = false` in Cargo.toml).
#[test]
fn tests_are_outside_of_the_library() {
    for source in sources() {
        let marks = [["#", "[", "test"], ["cfg", "(", "test"]];
        let is_test = |three: &[String]| marks.iter().any(|mark| three == mark);
        let has_tests = source.words.windows(3).any(is_test);
        assert!(!has_tests, "{} has tests that nobody runs", source.path);
    }
}

#[test]
fn every_file_of_tests_and_benches_is_a_module_of_its_program() {
    for folder in ["tests/rust", "benches/rust"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let main = fs::read_to_string(folder.join("main.rs")).expect("main.rs can be read");
        let main = words(&main);
        let mut files = Vec::new();
        collect(&folder, "", &mut files);
        for file in files.iter().filter(|file| file.path != "main.rs") {
            let is_run = main.windows(2).any(|two| two == ["mod", &file.module]);
            assert!(is_run, "{} is not named in main.rs", file.path);
        }
    }
}

#[test]
fn the_checks_see_what_they_forbid() {
    let cases = [
        ("kernel", "use crate::model::Model;", "model"),
        ("kernel", "fn f() -> crate::solver::Status;", "solver"),
        (
            "data",
            "use crate::{Error, data, simd::{self, Lanes}};",
            "simd",
        ),
        ("error", "use crate::data::Real;", "data"),
        ("simd", "use super::kernel::Kernel;", "kernel"),
        ("model", "use crate::{data, error, kernel, threads};", ""),
        ("data", "// use crate::model", ""),
    ];
    for (module, text, wrong) in cases {
        let source = Source {
            module: module.into(),
            path: String::new(),
            words: words(text),
        };
        let found = against_the_direction(&source, &direction()).join(" ");
        assert_eq!(found, wrong, "{module}: {text}");
    }
    let root = "#[forbid(unsafe_code)]\npub mod a;\npub mod b;\n#[cfg(x)]\nmod c;\nuse d;";
    assert_eq!(modules_that_may_be_unsafe(root), ["b", "c"]);
}
