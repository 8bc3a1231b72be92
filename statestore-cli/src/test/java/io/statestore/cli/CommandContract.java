package io.statestore.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.statestore.cli.Cli.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Behavior of the commands on any server. */
@Timeout(120)
abstract class CommandContract {

	private static final String VERSION = "\\d+:\\d+:[^ \"]+";

	@TempDir
	Path directory;

	/** Returns a command line that uses the server. */
	abstract Cli cli();

	@Test
	void getPrintsValueAndTime() {
		set("pump/1", "{\"rpm\":1450}");
		Result result = run("get", "pump/1");
		assertThat(result.err()).isEmpty();
		assertThat(result.exitCode()).isZero();
		assertThat(result.out()).contains("pump/1", "json", "{\"rpm\":1450}")
			.containsPattern("time +\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}");
	}

	@Test
	void getPrintsBytesOrNestedJson() {
		set("pump/2", "{\"rpm\":1450}");
		assertThat(run("get", "pump/2", "-o", "raw").out()).isEqualTo("{\"rpm\":1450}");
		assertThat(run("get", "pump/2", "-o", "json").out()).startsWith("{\"key\":\"pump/2\"")
			.endsWith("\"format\":\"json\",\"value\":{\"rpm\":1450}}\n");
		assertThat(run("get", "pump/2", "--show", "hex").out()).contains("7B2272706D223A313435307D");
	}

	@Test
	void getWritesBytesToFile() throws Exception {
		Path source = this.directory.resolve("source");
		Path target = this.directory.resolve("target");
		byte[] bytes = new byte[256];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) i;
		}
		Files.write(source, bytes);
		assertThat(run("set", "bytes", "--file", source.toString()).exitCode()).isZero();
		assertThat(run("get", "bytes", "--file", target.toString()).bytes()).isEmpty();
		assertThat(target).hasBinaryContent(bytes);
		assertThat(run("get", "bytes").out()).contains("hex", "00010203");
	}

	@Test
	void getReportsMissingKey() {
		Result result = run("get", "missing");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.err()).isEqualTo("Key missing does not exist\n");
		assertThat(result.bytes()).isEmpty();
	}

	@Test
	void setReadsStandardInput() {
		assertThat(cli().input("from stdin\n".getBytes(StandardCharsets.UTF_8)).run("set", "stdin").exitCode())
			.isZero();
		assertThat(run("get", "stdin", "-o", "raw").out()).isEqualTo("from stdin\n");
		Result empty = cli().input(new byte[0]).run("set", "stdin");
		assertThat(empty.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(empty.err()).contains("Standard input is empty");
		assertThat(run("get", "stdin", "-o", "raw").out()).isEqualTo("from stdin\n");
		assertThat(cli().input("dash".getBytes(StandardCharsets.UTF_8)).run("set", "stdin", "-").exitCode()).isZero();
		assertThat(run("get", "stdin", "-o", "raw").out()).isEqualTo("dash");
	}

	@Test
	void setStoresValueStartingWithAtSign() {
		assertThat(run("set", "at", "@pom.xml").exitCode()).isZero();
		assertThat(run("get", "at", "-o", "raw").out()).isEqualTo("@pom.xml");
	}

	@Test
	void setTakesHexadecimalKeyAndValue() {
		assertThat(run("set", "--hex-key", "00ff", "--hex", "c0 ff ee").exitCode()).isZero();
		assertThat(run("get", "--hex-key", "0x00ff").out()).contains("0x00FF", "C0FFEE");
		assertThat(run("del", "--hex-key", "00ff").exitCode()).isZero();
	}

	@Test
	void setHonorsConditions() {
		run("del", "conditional");
		assertThat(run("set", "conditional", "a", "--if-absent").exitCode()).isZero();
		Result second = run("set", "conditional", "b", "--nx");
		assertThat(second.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(second.out()).contains("applied  false");
		assertThat(second.err()).contains("exists");
		assertThat(run("set", "conditional", "a", "--if-absent-or-equal").exitCode()).isZero();
		assertThat(run("set", "conditional", "b", "--nex").exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(run("get", "conditional", "-o", "raw").out()).isEqualTo("a");
	}

	@Test
	void setExpires() {
		assertThat(run("set", "expiring", "a", "--expire", "200ms", "--persist").exitCode()).isZero();
		await("the expiry").until(() -> run("get", "expiring").exitCode() == ExitCodes.NOT_MET);
	}

	@Test
	void tokenProtectsKey() {
		run("del", "lock");
		String token = version(run("set", "lock", "me", "-o", "json"));
		assertThat(run("set", "fenced", "a", "--token", token).exitCode()).isZero();
		Result unfenced = run("set", "fenced", "b");
		assertThat(unfenced.exitCode()).isEqualTo(ExitCodes.REFUSED);
		assertThat(unfenced.err()).contains("fencing token");
		assertThat(run("del", "fenced").exitCode()).isEqualTo(ExitCodes.REFUSED);
		assertThat(run("del", "fenced", "--if-equal", "a", "--token", token).exitCode()).isZero();
	}

	@Test
	void delDeletesOnce() {
		set("deleted", "a");
		Result result = run("del", "deleted", "-o", "json");
		assertThat(result.exitCode()).isZero();
		assertThat(result.out()).contains("\"deleted\":true").containsPattern(VERSION);
		Result again = run("del", "deleted");
		assertThat(again.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(again.err()).isEqualTo("Key deleted does not exist\n");
	}

	@Test
	void delDeletesOnlyExpectedValue() {
		set("compared", "a");
		Result other = run("del", "compared", "--if-equal", "b");
		assertThat(other.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(other.err()).contains("has another value");
		assertThat(
				cli().input("a".getBytes(StandardCharsets.UTF_8)).run("del", "compared", "--if-equal", "-").exitCode())
			.isZero();
		assertThat(run("get", "compared").exitCode()).isEqualTo(ExitCodes.NOT_MET);
	}

	@Test
	void scanListsMatchingKeys() {
		set("scan/a", "1");
		set("scan/b", "{\"x\":2}");
		set("other", "3");
		assertThat(run("scan", "scan/*", "-o", "raw").out().lines()).containsExactly("scan/a", "scan/b");
		assertThat(run("scan", "scan/*").out()).startsWith("KEY\n");
		assertThat(run("scan", "scan/*", "--limit", "1", "-o", "raw").out().lines()).hasSize(1);
		assertThat(run("scan", "scan/*", "--count", "-o", "raw").out()).isEqualTo("2\n");
		assertThat(run("scan", "scan/*", "--values", "-o", "json").out().lines()).hasSize(2)
			.anyMatch((line) -> line.matches("\\{\"key\":\"scan/b\",\"version\":\"" + VERSION
					+ "\",\"time\":\"[^\"]+\",\"size\":7,\"format\":\"json\",\"value\":\\{\"x\":2}}"));
		assertThat(run("scan", "scan/*", "--values").out()).contains("FORMAT", "text", "{\"x\":2}");
		assertThat(run("scan", "nothing/*").out()).isEmpty();
	}

	@Test
	void importRestoresKeysDelDeleted() {
		set("moved/a b", "1");
		assertThat(run("set", "--hex-key", "6d6f7665642fff", "--hex", "ff", "--expire", "1h").exitCode()).isZero();
		Result exported = run("export", "moved/*");
		assertThat(exported.exitCode()).as(exported.err()).isZero();
		Result deleted = cli().typing("yes").run("del", "--pattern", "moved/*", "-o", "raw");
		assertThat(deleted.exitCode()).as(deleted.err()).isZero();
		assertThat(deleted.out()).isEqualTo("moved/*\t2\t0\t0\n");
		assertThat(run("scan", "moved/*").out()).isEmpty();
		assertThat(cli().input(exported.bytes()).run("import", "-o", "raw").out()).isEqualTo("2\t0\n");
		assertThat(run("scan", "moved/*", "-o", "raw").out()).isEqualTo("moved/a b\n0x6D6F7665642FFF\n");
		assertThat(run("ttl", "--hex-key", "6d6f7665642fff").exitCode()).isZero();
	}

	@Test
	void watchPrintsChanges() throws Exception {
		set("watched", "first");
		Cli cli = cli();
		CompletableFuture<Result> watch = CompletableFuture
			.supplyAsync(() -> cli.run("watch", "watched", "unused", "--initial", "--count", "3"));
		await("the first value").until(() -> cli.printed().contains("first"));
		set("watched", "second");
		run("del", "watched");
		Result result = watch.get(60, TimeUnit.SECONDS);
		assertThat(result.exitCode()).isZero();
		String time = "\\d{4}-\\d\\d-\\d\\dT\\S+  ";
		assertThat(result.out().lines()).satisfiesExactly(
				(line) -> assertThat(line).matches(time + "SET     watched  first  \\(resynchronized\\)"),
				(line) -> assertThat(line).matches(time + "SET     watched  second"),
				(line) -> assertThat(line).matches(time + "DELETE  watched"));
	}

	@Test
	void watchEndsAfterGivenTime() {
		set("quiet", "a");
		Result quiet = run("watch", "quiet", "--for", "100ms");
		assertThat(quiet.exitCode()).isZero();
		assertThat(quiet.out() + quiet.err()).isEmpty();
		Result json = run("watch", "quiet", "--initial", "--count", "1", "-o", "json");
		assertThat(json.out()).contains("\"operation\":\"SET\"", "\"resynchronized\":true", "\"value\":\"a\"");
		assertThat(run("watch", "quiet", "--initial", "--count", "1", "--color", "always").out())
			.contains("\u001B[33m(resynchronized)\u001B[39m");
	}

	@Test
	void infoDescribesServer() {
		Result result = cli().run("info", "--as", "alice", "-o", "json");
		assertThat(result.exitCode()).isZero();
		assertThat(result.out()).containsPattern("\"client\":\"cli-alice-[0-9a-f]{8}\"")
			.contains("\"scan\":true")
			.containsPattern("\"roundTripMs\":\\d+\\.\\d+")
			.containsPattern("\"clockLeadMs\":-?\\d+");
		assertThat(run("info", "--read-only").out()).contains("mqtt://127.0.0.1").doesNotContain("clockLead");
		assertThat(run("scan", "statestore-cli/info/*").out()).isEmpty();
	}

	@Test
	void benchReportsRatesAndDeletesKeys() {
		Result result = run("bench", "--for", "200ms", "--warm-up", "50ms", "--in-flight", "1,8", "--keys", "60", "-o",
				"json");
		assertThat(result.exitCode()).isZero();
		Pattern line = Pattern.compile("\\{\"inFlight\":(\\d),\"requests\":[1-9]\\d*,\"perSecond\":[1-9]\\d*,"
				+ "\"p50ms\":\\d+\\.\\d+,\"p99ms\":\\d+\\.\\d+,\"maxMs\":\\d+\\.\\d+,\"errors\":0}");
		assertThat(result.out().lines()).hasSize(2).allMatch((text) -> line.matcher(text).matches());
		assertThat(run("scan", "statestore-cli/bench/*").out()).isEmpty();
	}

	@Test
	void benchFailsIfRequestsFail() {
		String token = version(run("set", "bench-lock", "me", "-o", "json"));
		run("set", "statestore-cli/bench/fixed/0", "x", "--token", token);
		Result result = run("bench", "--for", "50ms", "--warm-up", "1ms", "--in-flight", "1", "--keys", "1", "--reads",
				"0", "--client-id", "fixed");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.FAILED);
		assertThat(result.err()).contains("failed");
		run("del", "statestore-cli/bench/fixed/0", "--token", token);
	}

	private void set(String key, String value) {
		assertThat(run("set", key, value).exitCode()).isZero();
	}

	private Result run(String... arguments) {
		return cli().run(arguments);
	}

	private static String version(Result result) {
		return result.out().replaceAll("(?s).*\"version\":\"([^\"]+)\".*", "$1");
	}

}
