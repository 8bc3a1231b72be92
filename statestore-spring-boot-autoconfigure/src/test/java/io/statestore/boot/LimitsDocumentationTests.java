package io.statestore.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@code docs/limits.md} with the properties of the embedded broker. */
class LimitsDocumentationTests {

	private static final List<String> NO_LIMITS = List.of("enabled", "host", "port", "protocol-dialect", "directory",
			"fsync", "fsync-interval", "persist", "administration", "ssl", "rules-file", "anonymous",
			"certificate-username-field", "token", "users-file", "cluster", "history");

	@Test
	void pageListsEveryLimitOfEmbeddedBroker() throws Exception {
		Set<String> properties = names(Path.of("target/classes/META-INF/spring-configuration-metadata.json"),
				"\"name\": \"statestore\\.embedded\\.([a-z-]+)\"");
		NO_LIMITS.forEach((property) -> assertThat(properties.remove(property)).as(property).isTrue());
		Set<String> documented = names(Path.of("../docs/limits.md"), "\\| `statestore\\.embedded\\.([a-z-]+)` \\|");
		assertThat(documented).isEqualTo(properties).hasSize(13);
	}

	private static Set<String> names(Path file, String pattern) throws Exception {
		return Pattern.compile(pattern)
			.matcher(Files.readString(file))
			.results()
			.map((name) -> name.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
