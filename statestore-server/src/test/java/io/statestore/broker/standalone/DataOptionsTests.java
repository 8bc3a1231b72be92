package io.statestore.broker.standalone;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.TypeConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DataOptionsTests {

	private final DurationConverter durations = new DurationConverter();

	@Test
	void keepsDataInMemoryByDefault() {
		assertThat(storage()).isEmpty();
		assertThat(options().location()).isEqualTo("data in memory only");
	}

	@Test
	void forcesEveryWriteToAllKeysByDefault() {
		assertThat(storage("--data-directory", "/var/lib/store"))
			.containsExactly(StorageOptions.in(Path.of("/var/lib/store").toAbsolutePath()));
	}

	@Test
	void passesEveryOption() {
		assertThat(storage("--data-directory", "d", "--fsync", "interval", "--fsync-interval", "250ms", "--persist",
				"requested"))
			.containsExactly(new StorageOptions(Path.of("d").toAbsolutePath(), Fsync.INTERVAL, Duration.ofMillis(250),
					Persist.REQUESTED, null));
	}

	@ParameterizedTest
	@CsvSource({ "--history-retention 7d --history-size 10G, 7, 10737418240",
			"--history-retention 7d, 7, 9223372036854775807", "--history-size 1K, 36500, 1024" })
	void keepsHistoryWithOneOrBothLimits(String limits, int days, long bytes) {
		String[] arguments = ("--data-directory d " + limits).split(" ");
		assertThat(storage(arguments)).extracting(StorageOptions::history)
			.containsExactly(new HistoryRetention(Duration.ofDays(days), bytes));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "--history-retention | 0s | positive and at most 36500 days",
			"--history-retention | 36501d | positive and at most 36500 days", "--history-size | 0 | 1 or more" })
	void refusesHistoryOutOfRange(String option, String value, String valid) {
		assertThatIllegalArgumentException().isThrownBy(() -> storage("--data-directory", "d", option, value))
			.withMessageContainingAll(option + " must be " + valid + ", but is ");
	}

	@Test
	void showsAbsoluteDirectory() {
		assertThat(options("--data-directory", "x/../d").location())
			.isEqualTo("data in " + Path.of("d").toAbsolutePath());
	}

	@ParameterizedTest
	@CsvSource({ "--fsync, never", "--fsync-interval, 1s", "--persist, all", "--history-retention, 7d",
			"--history-size, 10G" })
	void refusesOptionWithoutDirectory(String option, String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> storage(option, value))
			.withMessage(option + " requires a directory for the data; add --data-directory <directory>, or omit "
					+ option + " to keep the data in memory");
	}

	@Test
	void refusesBlankDirectory() {
		assertThatIllegalArgumentException().isThrownBy(() -> storage("--data-directory", " "))
			.withMessageContaining("--data-directory must be a directory");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0ms", "2h" })
	void refusesIntervalOutOfRange(String interval) {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> storage("--data-directory", "d", "--fsync-interval", interval))
			.satisfies((ex) -> assertThat(ex.option()).isEqualTo("fsyncInterval"));
	}

	@ParameterizedTest
	@CsvSource({ "1ms, PT0.001S", "2s, PT2S", "3M, PT3M", "1h, PT1H", "30d, P30D" })
	void readsDurationWithUnit(String text, Duration time) {
		assertThat(this.durations.convert(text)).isEqualTo(time);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1", "s", "-1s", "1.5s", "1 s", "1w", "9999999999s" })
	void refusesInvalidDurationWithExamples(String text) {
		assertThatExceptionOfType(TypeConversionException.class).isThrownBy(() -> this.durations.convert(text))
			.withMessageContainingAll("'" + text + "'", "500ms, 2s, or 1m");
	}

	/** Returns the options that a builder receives. */
	private static List<StorageOptions> storage(String... arguments) {
		List<StorageOptions> storage = new ArrayList<>();
		options(arguments).apply(storage::add);
		return storage;
	}

	private static DataOptions options(String... arguments) {
		Stored command = new Stored();
		new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
		return command.data;
	}

	@Command
	private static final class Stored {

		@Mixin
		private final DataOptions data = new DataOptions();

	}

}
