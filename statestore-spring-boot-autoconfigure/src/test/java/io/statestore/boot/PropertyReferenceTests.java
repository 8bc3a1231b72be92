package io.statestore.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares {@code docs/properties.md} with the metadata of the properties. */
class PropertyReferenceTests {

	private static final Path PAGE = Path.of("../docs/properties.md");

	private static final String REGENERATE = "mvn test -pl statestore-spring-boot-autoconfigure -am "
			+ "-Dtest=PropertyReferenceTests -Dsurefire.failIfNoSpecifiedTests=false -Dproperties.write=true";

	@Test
	void pageListsEveryProperty() throws IOException {
		String page = PropertyReference.of(PropertyMetadata.read());
		if (Boolean.getBoolean("properties.write")) {
			Files.writeString(PAGE, page);
		}
		assertThat(PAGE).as("docs/properties.md; regenerate it with '%s'", REGENERATE).exists().hasContent(page);
	}

}
