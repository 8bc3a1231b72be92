package io.statestore.dafka.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages for invalid options, which name the option and its valid values. */
class OptionsTests {

	private final StringWriter err = new StringWriter();

	private final StringWriter out = new StringWriter();

	private int execute(String... arguments) {
		CommandLine commandLine = DafkaCommand.commandLine();
		commandLine.setErr(new PrintWriter(this.err, true)).setOut(new PrintWriter(this.out, true));
		return commandLine.execute(arguments);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', value = { "tower --port 70000; --port; 0 to 65535",
			"tower --bind a/b; --bind; a host name or an IP address",
			"store --fsync often; --fsync; NEVER, BATCH, RECORD",
			"store --retention-age 7; --retention-age; such as 500ms or 7d",
			"store --retention-age 0d; --retention-age; longer than 0",
			"store --retention-size much; --retention-size; such as 10G",
			"store --retention-size 99999999999T; --retention-size; such as 10G",
			"store --skip-timeout 1s; --skip-timeout; PT5S", "consume -t t --skip-timeout soon; --skip-timeout; 7d",
			"store --tower a:b; --tower; host:port:pub-port", "store --tower a:65535; --tower; host:port:pub-port",
			"produce; --topic; Try 'dafka produce --help'", "produce -t t -D \\q; --delimiter; write \\n, \\t",
			"produce -t t no-such-file; no-such-file; name a file",
			"consume -t t -o middle; --offset; beginning, end, or a number from 0",
			"consume -t t -o -5; --offset; beginning, end, or a number from 0",
			"consume -t t -f %k; --format; write %t topic", "consume -t t -f \\q; --format; write \\n",
			"consume -t t -c 0; --count; at least 1", "consume -t t -o end -e; --offset; --offsets",
			"consume -t t --offst f; --offst; --offset", "store --curve-key k; --curve-peers; together",
			"tower --curve-key no-such-file --curve-peers p; --curve-key; dafka keys", "keys a/b; a/b; 1 to 64 letters",
			"keys; <name>; Try 'dafka keys --help'", "dance; dance; Try 'dafka --help'" })
	void explainsInvalidOption(String arguments, String option, String next) {
		assertThat(execute(arguments.split(" "))).isEqualTo(2);
		assertThat(this.err.toString()).contains(option).contains(next).doesNotContain("Exception");
		assertThat(this.out.toString()).isEmpty();
	}

	@Test
	void explainsEmptyValues() {
		assertThat(execute("produce", "-t", "")).isEqualTo(2);
		assertThat(execute("produce", "-t", "t", "-D", "")).isEqualTo(2);
		assertThat(this.err.toString()).contains("--topic", "1 to 255 bytes", "--delimiter is empty");
	}

	@ParameterizedTest
	@ValueSource(strings = { "tower", "store", "produce", "consume" })
	void eachCommandHasHelp(String command) {
		assertThat(execute(command, "--help")).isZero();
		assertThat(this.out.toString()).startsWith("Usage: dafka " + command).contains("--quiet");
	}

	@Test
	void namesOptionWhenPortIsInUse() throws IOException {
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThat(execute("tower", "--port", "0", "--pub-port", String.valueOf(taken.getLocalPort())))
				.isEqualTo(1);
			assertThat(this.err.toString()).contains("--bind *", "--pub-port " + taken.getLocalPort())
				.contains("a port that is free");
		}
	}

	@Test
	void convertsTimesSizesAndTowers() {
		assertThat(Stream.of("500ms", "30S", "5m", "12h", "7d").map(Converters::duration))
			.extracting(Duration::toString)
			.containsExactly("PT0.5S", "PT30S", "PT5M", "PT12H", "PT168H");
		assertThat(Stream.of("0", "512", "10b", "64k", "64KiB", "2MB", "3g", "1T").map(Converters::size))
			.containsExactly(0L, 512L, 10L, 65_536L, 65_536L, 2_097_152L, 3_221_225_472L, 1_099_511_627_776L);
		assertThat(Stream.of("h", "h:1", "[::1]:7000:8000").map(Converters::tower))
			.extracting((address) -> address.host() + ' ' + address.inPort() + ' ' + address.outPort())
			.containsExactly("h 5556 5557", "h 1 2", "[::1] 7000 8000");
	}

}
