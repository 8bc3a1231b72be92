package io.statestore.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

/** POM files of the published modules, and the BOM that lists the modules. */
class PublishedModulesTests {

	private static final String GROUP = "io.statestore:";

	private static final Path ROOT = Path.of("..");

	private final Element parent = pom(ROOT.resolve("pom.xml"));

	private final Element bom = pom(ROOT.resolve("statestore-bom/pom.xml"));

	@Test
	void bomListsEveryPublishedModule() {
		assertThat(managed(this.bom).keySet().stream().filter((name) -> name.startsWith(GROUP)))
			.containsExactlyInAnyOrderElementsOf(
					published().stream().map((module) -> GROUP + text(module, "artifactId")).toList());
	}

	@Test
	void buildUsesVersionsInBom() {
		assertThat(text(child(this.parent, "parent"), "artifactId")).isEqualTo("statestore-bom");
		assertThat(managed(this.bom).values()).allSatisfy((version) -> assertThat(version).isNotBlank());
		assertThat(managed(this.parent)).doesNotContainKeys(managed(this.bom).keySet().toArray(String[]::new));
	}

	@Test
	void bomDoesNotOverrideSpringBootVersions() throws Exception {
		assertThat(children(this.bom, "parent")).isEmpty();
		Path jar = Path.of(SpringApplication.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		String version = SpringBootVersion.getVersion();
		Path boot = jar.resolve("../../../spring-boot-dependencies")
			.resolve(version)
			.resolve("spring-boot-dependencies-" + version + ".pom");
		assertThat(managed(pom(boot.normalize()))).hasSizeGreaterThan(100)
			.doesNotContainKeys(managed(this.bom).keySet().toArray(String[]::new));
	}

	@Test
	void describesEveryPublishedModule() {
		assertThat(published()).hasSizeGreaterThan(5).allSatisfy((module) -> {
			assertThat(text(module, "name")).isNotBlank();
			assertThat(text(module, "description")).isNotBlank();
		});
		assertThat(text(this.bom, "url")).startsWith("https://${project.host}/");
		assertThat(text(child(this.bom, "scm"), "connection")).startsWith("scm:git:https://${project.host}/");
		assertThat(children(child(this.bom, "licenses"), "license")).isNotEmpty();
		assertThat(children(child(this.bom, "developers"), "developer")).isNotEmpty();
	}

	private List<Element> published() {
		return children(child(this.parent, "modules"), "module").stream()
			.map((module) -> pom(ROOT.resolve(module.getTextContent()).resolve("pom.xml")))
			.filter((module) -> !"statestore-bom".equals(text(module, "artifactId")))
			.filter((module) -> children(module, "properties").stream()
				.allMatch((properties) -> children(properties, "maven.deploy.skip").isEmpty()))
			.toList();
	}

	/** Returns the managed versions by group and artifact. */
	private Map<String, String> managed(Element pom) {
		Map<String, String> versions = new LinkedHashMap<>();
		Element dependencies = child(child(pom, "dependencyManagement"), "dependencies");
		for (Element dependency : children(dependencies, "dependency")) {
			String version = text(dependency, "version");
			if (version.startsWith("${project.")) {
				version = text((children(pom, "version").isEmpty()) ? child(pom, "parent") : pom, "version");
			}
			else if (version.startsWith("${")) {
				String name = version.substring(2, version.length() - 1);
				Element properties = child(pom, "properties");
				version = text(children(properties, name).isEmpty() ? child(this.bom, "properties") : properties, name);
			}
			versions.put(text(dependency, "groupId") + ':' + text(dependency, "artifactId"), version);
		}
		return versions;
	}

	private static Element pom(Path file) {
		try {
			return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
		}
		catch (Exception ex) {
			throw new IllegalStateException("Cannot read " + file + ", exists: " + Files.exists(file), ex);
		}
	}

	private static String text(Element element, String name) {
		return child(element, name).getTextContent();
	}

	private static Element child(Element element, String name) {
		List<Element> children = children(element, name);
		assertThat(children).as(name).hasSize(1);
		return children.get(0);
	}

	private static List<Element> children(Element element, String name) {
		List<Element> children = new ArrayList<>();
		NodeList nodes = element.getChildNodes();
		for (int i = 0; i < nodes.getLength(); i++) {
			Node node = nodes.item(i);
			if (node instanceof Element child && child.getTagName().equals(name)) {
				children.add(child);
			}
		}
		return children;
	}

}
