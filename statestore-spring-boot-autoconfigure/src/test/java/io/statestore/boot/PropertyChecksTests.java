package io.statestore.boot;

import java.nio.file.Path;
import java.util.Map;

import io.statestore.boot.internal.PropertyChecks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PropertyChecksTests {

	private static Path path(String directory) {
		return PropertyChecks.path("a.directory", directory, "Remove it");
	}

	/** The class path has a directory {@code io}. */
	@ParameterizedTest
	@ValueSource(strings = { "io", "./io", "data/../io" })
	void resolvesRelativeDirectoryAgainstWorkingDirectory(String directory) {
		assertThat(path(directory)).isEqualTo(Path.of("io").toAbsolutePath());
	}

	/** The reason why the properties are not paths. */
	@Test
	void springResolvesPathAgainstClassPath() {
		Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("a.directory", "io")));
		Path path = binder.bind("a.directory", Path.class).get();
		assertThat(path.toAbsolutePath()).isNotEqualTo(Path.of("io").toAbsolutePath());
	}

	@Test
	void directoryPropertiesAreStrings() {
		assertThat(PropertyMetadata.read().properties()).filteredOn((property) -> property.name().endsWith("directory"))
			.hasSizeGreaterThanOrEqualTo(4)
			.allMatch((property) -> property.type().equals("java.lang.String"));
	}

	@Test
	void filePropertiesAreStrings() {
		assertThat(PropertyMetadata.read().properties()).filteredOn((property) -> property.name().endsWith("-file"))
			.hasSizeGreaterThanOrEqualTo(4)
			.allMatch((property) -> property.type().equals("java.lang.String"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a\0b" })
	void refusesStringThatIsNotAFile(String file) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> PropertyChecks.file("a.file", file, "Remove it"))
			.withMessageContainingAll("a.file", "It must be a file");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a\0b" })
	void refusesStringThatIsNotADirectory(String directory) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class).isThrownBy(() -> path(directory))
			.withMessageContainingAll("a.directory", "It must be a directory");
	}

}
