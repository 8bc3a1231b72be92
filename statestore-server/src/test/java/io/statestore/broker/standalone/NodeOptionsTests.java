package io.statestore.broker.standalone;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests node options that contradict each other or are missing. */
class NodeOptionsTests {

	private static final String NODE = "--node a --peers a=localhost:1885,b=localhost:1886 --data-directory d --node-cert c "
			+ "--node-key k --node-ca ca";

	private final TestCommand command = new TestCommand();

	private int run(String options) {
		return this.command.run((Object[]) options.split(" "));
	}

	private static String without(String option) {
		return NODE.replaceFirst("--" + option + " \\S+ ?", "").strip();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "peers | add --peers a=host:port", "data-directory | add --data-directory <directory>",
					"node-cert | add --node-cert <file>", "node-key | add --node-key <file>",
					"node-ca | add --node-ca <file>" })
	void namesMissingOption(String option, String message) {
		assertThat(run(without(option))).isEqualTo(2);
		assertThat(this.command.errors()).contains("--node requires", message);
	}

	@ParameterizedTest
	@CsvSource({ "--peers a=b:1", "--node-cert c", "--node-key k", "--node-ca ca", "--new-cluster", "--join",
			"--advertise a.local", "--election-timeout 3s" })
	void requiresNode(String option) {
		assertThat(run(option)).isEqualTo(2);
		assertThat(this.command.errors()).contains(option.split(" ")[0] + " requires the name of this node")
			.contains("add --node <name>");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "--new-cluster --join | --new-cluster and --join exclude each other",
			"--fsync never | omit --fsync", "--fsync-interval 2s | omit --fsync-interval",
			"--persist requested | omit --persist", "--history-size 0 | --history-size must be 1 or more, but is 0" })
	void refusesContradictions(String option, String message) {
		assertThat(run(NODE + ' ' + option)).isEqualTo(2);
		assertThat(this.command.errors()).contains(message);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "a | --peers must be name=host:port", "a=b | but is 'a=b'", "a=b:0 | --peers",
					"a=b:65536 | --peers", "a=b:1, | --peers", "a=b:1,a=c:1 | --peers", "=b:1 | --peers",
					"a=:1 | --peers", "a=::1:1 | --peers", "a=b:1,c=b:1 | with different addresses",
					"b=b:1,c=c:1 | --node must be the name of one of the peers: b, c" })
	void refusesInvalidPeers(String peers, String message) {
		assertThat(run(NODE.replaceFirst("--peers \\S+", "--peers " + peers))).isEqualTo(2);
		assertThat(this.command.errors()).contains(message);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a:0", "a:65536", "a:", ":1883", "mqtt://a:1883", "a,b", "::1", "[::1", "a@b" })
	void refusesInvalidAdvertisedAddress(String address) {
		assertThat(run(NODE + " --advertise " + address)).isEqualTo(2);
		assertThat(this.command.errors()).contains("--advertise must be the host, or", "but is '" + address + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "749ms", "61s" })
	void refusesElectionTimeoutOutOfRange(String timeout) {
		assertThat(run(NODE + " --election-timeout " + timeout)).isEqualTo(2);
		assertThat(this.command.errors()).contains("--election-timeout must be 750ms to 60s");
	}

	@ParameterizedTest
	@CsvSource({ "-1", "65536" })
	void refusesReadyPortOutOfRange(String port) {
		assertThat(run("--ready-port " + port)).isEqualTo(2);
		assertThat(this.command.errors()).contains("--ready-port", "valid is 0 to 65535");
	}

	@ParameterizedTest
	@CsvSource("--ready-host localhost")
	void healthCheckHostRequiresPort(String option) {
		assertThat(run(option)).isEqualTo(2);
		assertThat(this.command.errors()).contains("--ready-host requires a port; add --ready-port <port>");
	}

}
