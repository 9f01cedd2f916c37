//! The software bill of materials: CycloneDX 1.6 as JSON, <https://cyclonedx.org/docs/1.6/json/>.

use serde_json::{Value, json};

use super::packages::Package;

/// The bill of a program with its packages. The same packages give the same bytes.
pub(super) fn document(name: &str, version: &str, target: &str, packages: &[Package]) -> Value {
    let program = format!("{name}@{version}");
    let roots: Vec<String> = packages.iter().filter(|package| package.is_ours).map(reference).collect();
    let mut dependencies = vec![json!({"ref": program, "dependsOn": roots})];
    dependencies.extend(packages.iter().map(|package| {
        let needs: Vec<String> = package.needs.iter().map(|(name, version)| purl(name, version)).collect();
        json!({"ref": reference(package), "dependsOn": needs})
    }));
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": program, "name": name, "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
                "properties": [{"name": "eaves:target", "value": target}],
            },
        },
        "components": packages.iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies,
    })
}

fn component(package: &Package) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "purl": reference(package),
    });
    if let Some(expression) = package.expression() {
        component["licenses"] = json!([{"expression": expression}]);
    }
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

fn reference(package: &Package) -> String {
    purl(&package.name, &package.version)
}

/// A package URL: <https://github.com/package-url/purl-spec>. The plus of build metadata is percent-encoded.
fn purl(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::super::packages::{linked, tests};
    use super::*;

    #[test]
    fn every_reference_is_a_component() {
        let packages = linked(&tests::metadata(), tests::LOCK_FILE, &["program"]).unwrap();
        let bill = document("eaves", "1.2.3", "x86_64-unknown-linux-gnu", &packages);
        let components = bill["components"].as_array().unwrap();
        let references: Vec<&str> = components.iter().map(|part| part["bom-ref"].as_str().unwrap()).collect();
        assert_eq!(
            references,
            ["pkg:cargo/deep@1.0.0%2Bx", "pkg:cargo/library@1.0.0%2Bx", "pkg:cargo/program@1.0.0%2Bx"]
        );
        assert_eq!(components[0]["hashes"], json!([{"alg": "SHA-256", "content": "00ff"}]));
        assert_eq!(components[1]["licenses"], json!([{"expression": "MIT OR Apache-2.0"}]));
        assert!(components[2].get("hashes").is_none());
        let dependencies = bill["dependencies"].as_array().unwrap();
        assert_eq!(
            dependencies[0],
            json!({"ref": "eaves@1.2.3", "dependsOn": ["pkg:cargo/program@1.0.0%2Bx"]})
        );
        for needed in dependencies.iter().flat_map(|edge| edge["dependsOn"].as_array().unwrap()) {
            assert!(references.contains(&needed.as_str().unwrap()), "{needed}");
        }
    }
}
