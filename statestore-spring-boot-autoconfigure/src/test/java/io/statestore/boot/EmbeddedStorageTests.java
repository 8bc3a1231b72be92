package io.statestore.boot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EmbeddedStorageTests {

	@Test
	void isAbsentByDefault() {
		assertThat(options(Map.of())).isNull();
	}

	@Test
	void forcesEveryWriteToAllKeysByDefault() {
		assertThat(options(Map.of("data-directory", "/var/lib/store")))
			.isEqualTo(StorageOptions.in(Path.of("/var/lib/store").toAbsolutePath()));
	}

	@Test
	void bindsEveryProperty() {
		StorageOptions options = options(
				Map.of("data-directory", "/data", "fsync", "interval", "persist", "requested"));
		assertThat(options).isEqualTo(new StorageOptions(Path.of("/data").toAbsolutePath(), Fsync.INTERVAL,
				Duration.ofSeconds(1), Persist.REQUESTED, null));
	}

	/**
	 * The class path has a directory {@code io}, which Spring would select for a path.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "io", "./io", "data/../io" })
	void resolvesRelativeDirectoryAgainstWorkingDirectory(String directory) {
		StorageOptions options = options(Map.of("data-directory", directory));
		assertThat(options).isNotNull();
		assertThat(options.directory()).isEqualTo(Path.of("io").toAbsolutePath());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a\0b" })
	void refusesStringThatIsNotADirectory(String directory) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> options(Map.of("data-directory", directory)))
			.withMessageContainingAll("statestore.embedded.data-directory", "It must be a directory");
	}

	@ParameterizedTest
	@ValueSource(strings = { "fsync=never", "persist=all", "history.retention=7d", "history.size=10GB" })
	void refusesOtherPropertiesWithoutDirectory(String property) {
		String[] parts = property.split("=");
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> options(Map.of(parts[0], parts[1])))
			.withMessageContainingAll("statestore.embedded." + parts[0], "'statestore.embedded.data-directory'");
	}

	@Test
	void keepsHistoryWithOneOrBothLimits() {
		HistoryRetention all = HistoryRetention.UNLIMITED;
		assertThat(history(Map.of("history.retention", "7d", "history.size", "10GB")))
			.isEqualTo(new HistoryRetention(Duration.ofDays(7), 10L << 30));
		assertThat(history(Map.of("history.retention", "7d")))
			.isEqualTo(new HistoryRetention(Duration.ofDays(7), all.bytes()));
		assertThat(history(Map.of("history.size", "1KB"))).isEqualTo(new HistoryRetention(all.time(), 1024));
	}

	private static @Nullable HistoryRetention history(Map<String, String> limits) {
		Map<String, String> properties = new HashMap<>(limits);
		properties.put("data-directory", "/data");
		return Objects.requireNonNull(options(properties)).history();
	}

	@ParameterizedTest
	@CsvSource({ "history.retention, 0s", "history.retention, 36501d", "history.size, 0" })
	void refusesHistoryOutOfRange(String property, String value) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> options(Map.of("data-directory", "/data", property, value)))
			.withMessageContaining("statestore.embedded." + property);
	}

	private static @Nullable StorageOptions options(Map<String, String> properties) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		properties.forEach((name, value) -> source.put("statestore.embedded." + name, value));
		return EmbeddedStorage.of(new Binder(source).bindOrCreate("statestore.embedded", EmbeddedProperties.class));
	}

}
