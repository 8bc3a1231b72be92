package io.statestore.broker.standalone;

import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.TypeConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OptionTests {

	private final SizeConverter sizes = new SizeConverter();

	@ParameterizedTest
	@CsvSource({ "0, 0", "1048576, 1048576", "64K, 65536", "64k, 65536", "2m, 2097152", "1G, 1073741824", "64KB, 65536",
			"1gb, 1073741824", "-1K, -1024" })
	void readsSizesWithAndWithoutUnit(String text, long size) {
		assertThat(this.sizes.convert(text)).isEqualTo(size);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "M", "1.5G", "1T", "64 M", "999999999999999999G", "9999999999999999999" })
	void refusesInvalidSizeWithExamples(String text) {
		assertThatExceptionOfType(TypeConversionException.class).isThrownBy(() -> this.sizes.convert(text))
			.withMessageContainingAll("'" + text + "'", "64K, 64M, or 1G");
	}

	@Test
	void errorContainsCommandLineOptions() {
		CommandSpec command = new CommandLine(new Limited()).getCommandSpec();
		IllegalArgumentException error = InvalidOptionException.limited("maxKeys", "maxSize", "must be 1",
				"clientMemory");
		assertThat(error).hasMessage("'maxKeys' must be 1, but is 'maxSize'. Lower it, or raise 'clientMemory'");
		assertThat(ServerCommand.invalid(command, error))
			.hasMessage("--max-keys must be 1, but is 'maxSize'. Lower it, or raise --client-memory")
			.hasCause(error);
	}

	@Test
	void errorKeepsNamesUnknownToCommandLine() {
		CommandSpec command = new CommandLine(new Limited()).getCommandSpec();
		assertThat(ServerCommand.invalid(command, new InvalidOptionException("password", "", "must be x")))
			.hasMessage("'password' must be x, but is ''");
		assertThat(ServerCommand.invalid(command, new IllegalArgumentException("The 'maxKeys'")))
			.hasMessage("The 'maxKeys'");
	}

	@Command
	private static final class Limited {

		@Mixin
		private final LimitOptions limits = new LimitOptions();

	}

}
