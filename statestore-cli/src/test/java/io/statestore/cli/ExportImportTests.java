package io.statestore.cli;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.Permissions;
import io.statestore.cli.Cli.Result;
import io.statestore.protocol.Bytes;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class ExportImportTests {

	private StateStoreBroker source;

	private StateStoreBroker target;

	@BeforeEach
	void start() {
		this.source = StateStoreBroker.builder().start();
		this.target = StateStoreBroker.builder().start();
	}

	@AfterEach
	void stop() {
		this.source.close();
		this.target.close();
	}

	private Result source(String... arguments) {
		return succeed(Cli.on(this.source.port()).run(arguments));
	}

	private Result target(String... arguments) {
		return succeed(Cli.on(this.target.port()).run(arguments));
	}

	private static Result succeed(Result result) {
		assertThat(result.exitCode()).as(result.err()).isZero();
		return result;
	}

	private Result load(String lines, String... options) {
		List<String> arguments = new ArrayList<>(List.of("import", "-o", "raw"));
		arguments.addAll(List.of(options));
		return Cli.on(this.target.port())
			.input(lines.getBytes(StandardCharsets.UTF_8))
			.run(arguments.toArray(String[]::new));
	}

	@Test
	void importRestoresEveryKindOfEntry() {
		source("set", "with space/ключ/日本 😀", "grüß\n\t\"dich\" \\");
		source("set", "json", "{\"rpm\": 1450}");
		source("set", "empty", "");
		source("set", "control", "a\u0000b\u001B\u2028\u007F");
		source("set", "--hex-key", "00ff", "--hex", "c0ffee00");
		source("set", "expiring", "soon", "--expire", "1h");
		Result exported = source("export");
		assertThat(exported.err()).isEmpty();
		assertThat(exported.out().lines()).hasSize(6)
			.contains("{\"key\":\"json\",\"value\":\"{\\\"rpm\\\": 1450}\"}", "{\"key\":\"empty\",\"value\":\"\"}",
					"{\"keyBase64\":\"AP8=\",\"valueBase64\":\"wP/uAA==\"}")
			.anyMatch((line) -> line.matches("\\{\"key\":\"expiring\",\"value\":\"soon\",\"ttlMs\":3[56]\\d{5}}"));
		assertThat(load(exported.out()).out()).isEqualTo("6\t0\n");
		for (String key : new String[] { "with space/ключ/日本 😀", "json", "empty", "control", "expiring" }) {
			assertThat(target("get", key, "-o", "raw").bytes()).isEqualTo(source("get", key, "-o", "raw").bytes());
		}
		assertThat(target("get", "--hex-key", "00ff", "-o", "raw").bytes())
			.isEqualTo(new byte[] { (byte) 0xC0, (byte) 0xFF, (byte) 0xEE, 0 });
		assertThat(Double.parseDouble(target("ttl", "expiring", "-o", "raw").out().split("\t")[1].strip()))
			.isBetween(3_400.0, 3_600.0);
		Result unlimited = Cli.on(this.target.port()).run("ttl", "json");
		assertThat(unlimited.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(unlimited.err()).isEqualTo("Key json never expires\n");
		Result missing = Cli.on(this.target.port()).run("ttl", "missing");
		assertThat(missing.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(missing.err()).isEqualTo("Key missing does not exist\n");
	}

	@Test
	void importRestoresTenThousandKeys() {
		StringBuilder lines = new StringBuilder();
		for (int i = 0; i < 10_000; i++) {
			byte[] value = { (byte) i, (byte) (i >> 8), (byte) 0xFF };
			lines.append("{\"key\":\"k ").append(i).append("\",\"valueBase64\":\"");
			lines.append(Base64.getEncoder().encodeToString(value))
				.append((i % 2 == 0) ? "\",\"ttlMs\":3600000}\n" : "\"}\n");
		}
		assertThat(load(lines.toString()).out()).isEqualTo("10000\t0\n");
		String exported = target("export", "k *").out();
		assertThat(exported.lines().map((line) -> line.replaceAll("\"ttlMs\":3[56]\\d{5}", "\"ttlMs\":3600000")))
			.containsExactlyInAnyOrderElementsOf(lines.toString().lines().toList());
		assertThat(target("scan", "--count", "-o", "raw").out()).isEqualTo("10000\n");
	}

	@Test
	void exportsTimeToLiveOfExportedValue() throws Exception {
		CompletableFuture<Void> read = new CompletableFuture<>();
		this.source.close();
		try (FaultProxy proxy = new FaultProxy(this.source.port())) {
			this.source = StateStoreBroker.builder().port(this.source.port()).authorizer((client) -> firstRead(() -> {
				// Holds back the answer until the key has another value.
				proxy.stall();
				read.complete(null);
			})).start();
			source("set", "lock", "old");
			CompletableFuture<Result> export = CompletableFuture
				.supplyAsync(() -> Cli.on(proxy.port()).run("export", "lock"));
			read.get(30, TimeUnit.SECONDS);
			source("set", "lock", "new", "--expire", "1h");
			proxy.resume();
			assertThat(succeed(export.get(30, TimeUnit.SECONDS)).out())
				.matches("\\{\"key\":\"lock\",\"value\":\"new\",\"ttlMs\":3[56]\\d{5}}\n");
		}
	}

	@Test
	void exportsMatchingKeysOnly() {
		source("set", "pump/1", "a", "--expire", "1h");
		source("set", "oven/1", "b");
		assertThat(source("export", "pump/*", "--no-ttl").out()).isEqualTo("{\"key\":\"pump/1\",\"value\":\"a\"}\n");
	}

	@Test
	void importRefusesToOverwrite() {
		target("set", "b", "old");
		String lines = entry("a") + entry("b") + entry("c");
		Result refused = load(lines);
		assertThat(refused.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(refused.err()).contains("Line 2: key 'b' exists", "--skip-existing", "--overwrite");
		assertThat(target("get", "b", "-o", "raw").out()).isEqualTo("old");
		Result skipped = load(lines, "--skip-existing");
		assertThat(skipped.exitCode()).as(skipped.err()).isZero();
		assertThat(skipped.out()).isEqualTo("0\t3\n");
		assertThat(target("get", "b", "-o", "raw").out()).isEqualTo("old");
		assertThat(load(lines, "--overwrite").out()).isEqualTo("3\t0\n");
		assertThat(target("get", "b", "-o", "raw").out()).isEqualTo("new");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"key":"b","value":"v"                    | end-of-input
			xyz                                       | Unrecognized token
			{"key":"b","value":"v",}                  | Unexpected character
			"b"                                       | not a JSON object
			{"key":"b"}                               | no 'value'
			{"value":"v"}                             | no 'key'
			{"key":"","value":"v"}                    | must not be empty
			{"key":"b","value":5}                     | 'value' is not a text
			{"key":"b","value":"v","ttlMs":0}         | 'ttlMs'
			{"key":"b","value":"v","ttlMs":"1"}       | 'ttlMs'
			{"key":"b","value":"v","ttlMs":3153600000001} | 36500 days
			{"key":"b","value":"v","ttl":1}           | 'ttl' is unknown
			{"key":"b","value":"v","valueBase64":""}  | 'valueBase64' is the second one
			{"key":"b","valueBase64":"%"}             | base64
			{"key":"b","value":"\\ud800"}             | surrogate
			""")
	void importReportsInvalidLine(String line, String reason) {
		Result result = load(entry("a") + line + '\n');
		assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.FAILED);
		assertThat(result.err()).contains("is invalid: ")
			.containsIgnoringCase(reason)
			.contains("--skip-existing")
			.containsPattern("Line 2 ")
			.doesNotContain("\tat ");
		assertThat(result.out()).isEqualTo("1\t0\n");
		assertThat(target("scan", "-o", "raw").out()).isEqualTo("a\n");
	}

	@Test
	void importReportsInputThatIsNotUtf8() {
		byte[] input = (entry("a") + "{\"key\":\"b\",\"value\":\"#\"}\n").getBytes(StandardCharsets.UTF_8);
		input[new String(input, StandardCharsets.UTF_8).indexOf('#')] = (byte) 0xFF;
		Result result = Cli.on(this.target.port()).input(input).run("import");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.FAILED);
		assertThat(result.err()).contains("Line 2 is invalid", "UTF-8");
	}

	@Test
	void importReportsLineRefusedByStore() {
		String token = target("set", "lock", "me", "-o", "json").out()
			.replaceAll(".*\"version\":\"([^\"]+)\".*\\n", "$1");
		target("set", "b", "old", "--token", token);
		Result result = load(entry("a") + entry("b"), "--overwrite");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.REFUSED);
		assertThat(result.err()).contains("Line 2: ", "fencing token");
		assertThat(result.out()).isEqualTo("1\t0\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "--skip-existing", "--skip-existing --token 0:0:old" })
	void importSkipsKeyWrittenUnderLock(String options) {
		String token = target("set", "lock", "me", "-o", "json").out()
			.replaceAll(".*\"version\":\"([^\"]+)\".*\\n", "$1");
		target("set", "b", "old", "--token", token);
		Result refused = load(entry("b"));
		assertThat(refused.exitCode()).as(refused.err()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(refused.err()).contains("Line 1: key 'b' exists", "--skip-existing");
		Result skipped = load(entry("a") + entry("b") + entry("c"), options.split(" "));
		assertThat(skipped.exitCode()).as(skipped.err()).isZero();
		assertThat(skipped.out()).isEqualTo("2\t1\n");
		assertThat(target("get", "b", "-o", "raw").out()).isEqualTo("old");
	}

	@Test
	void importSkipsKeyThatUserMayNotWrite() {
		Set<Bytes> readOnly = ConcurrentHashMap.newKeySet();
		this.target.close();
		this.target = StateStoreBroker.builder()
			.authorizer((client) -> permissions((key) -> true, (key) -> !readOnly.contains(key)))
			.start();
		target("set", "b", "old");
		readOnly.addAll(List.of(Bytes.of("b"), Bytes.of("c")));
		Result skipped = load(entry("a") + entry("b"), "--skip-existing");
		assertThat(skipped.exitCode()).as(skipped.err()).isZero();
		assertThat(skipped.out()).isEqualTo("1\t1\n");
		Result refused = load(entry("b") + entry("c"), "--skip-existing");
		assertThat(refused.exitCode()).isEqualTo(ExitCodes.REFUSED);
		assertThat(refused.err()).contains("Line 2: ", "Allow client");
		assertThat(load(entry("b"), "--overwrite").exitCode()).isEqualTo(ExitCodes.REFUSED);
	}

	@Test
	void emptyImportSucceeds() {
		assertThat(load("").out()).isEqualTo("0\t0\n");
		assertThat(load("\n").exitCode()).isZero();
	}

	@Test
	void importNeedsConnection() {
		this.target.close();
		assertThat(load(entry("a")).exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
	}

	private static String entry(String key) {
		return "{\"key\":\"" + key + "\",\"value\":\"new\"}\n";
	}

	/** Permits everything. Runs an action at the first read of the key "lock". */
	private static Permissions firstRead(Runnable action) {
		AtomicBoolean read = new AtomicBoolean();
		return permissions((key) -> {
			if (key.equals(Bytes.of("lock")) && read.compareAndSet(false, true)) {
				action.run();
			}
			return true;
		}, (key) -> true);
	}

	/**
	 * Returns all permissions, except that keys are read and written under conditions.
	 */
	private static Permissions permissions(Predicate<Bytes> mayRead, Predicate<Bytes> mayWrite) {
		return (Permissions) Proxy.newProxyInstance(Permissions.class.getClassLoader(),
				new Class<?>[] { Permissions.class },
				(proxy, method, arguments) -> switch (method.getName() + ((arguments != null) ? arguments.length : 0)) {
					case "mayRead1" -> mayRead.test((Bytes) arguments[0]);
					case "mayWrite1" -> mayWrite.test((Bytes) arguments[0]);
					default -> method.invoke(Permissions.ALL, arguments);
				});
	}

}
