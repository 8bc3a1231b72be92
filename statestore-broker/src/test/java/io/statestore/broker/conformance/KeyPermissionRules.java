package io.statestore.broker.conformance;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Effects of rules that apply to everyone, on any server that enforces them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KeyPermissionRules {

	static final String RULES = """
			everyone read key readable/*
			everyone write key writable/*
			everyone read,write key open/*
			everyone read topic #
			""";

	static final String DENIED = "-ERR not authorized⏎";

	private TestedServer server;

	private int clients;

	abstract TestedServer start() throws Exception;

	@BeforeAll
	void startServer() throws Exception {
		this.server = start();
	}

	@AfterAll
	void stopServer() throws Exception {
		if (this.server != null) {
			this.server.close();
		}
	}

	StoreClient client() {
		return StoreClient.connect(this.server.port(), "anyone-" + ++this.clients);
	}

	@ParameterizedTest
	@CsvSource({ "SET, open, true", "SET, writable, true", "SET, readable, false", "SET, secret, false",
			"DEL, open, true", "DEL, writable, true", "DEL, readable, false", "DEL, secret, false", "VDEL, open, true",
			"VDEL, writable, true", "VDEL, readable, false", "VDEL, secret, false", "GET, open, true",
			"GET, writable, false", "GET, readable, true", "GET, secret, false", "KEYNOTIFY, open, true",
			"KEYNOTIFY, writable, false", "KEYNOTIFY, readable, true", "KEYNOTIFY, secret, false", "STOP, open, true",
			"STOP, writable, true", "STOP, readable, true", "STOP, secret, true", "SCAN, open, true",
			"SCAN, writable, true", "SCAN, secret, true", "INCRBY, open, true", "INCRBY, writable, false",
			"INCRBY, readable, false", "INCRBY, secret, false" })
	void permitsCommandOnKey(String command, String folder, boolean permitted) {
		try (StoreClient client = client()) {
			String key = folder + "/k";
			RawPublish reply = switch (command) {
				case "INCRBY" -> client.call(command, folder + "/count", "1");
				case "SET", "VDEL" -> client.call(command, key, "v");
				case "STOP" -> client.call("KEYNOTIFY", key, "STOP");
				default -> client.call(command, key);
			};
			assertThat(Resp.text(reply).contains("not authorized")).as(Resp.text(reply)).isNotEqualTo(permitted);
		}
	}

	@Test
	void successorLockHasLockPermissions() {
		try (StoreClient client = client()) {
			assertThat(Resp.text(client.call("SET", "writable/lock\0successor", "v"))).isEqualTo("+OK⏎");
			assertThat(Resp.text(client.call("GET", "writable/lock\0successor"))).isEqualTo(DENIED);
			assertThat(Resp.text(client.call("SET", "secret/lock\0successor", "v"))).isEqualTo(DENIED);
		}
	}

	@Test
	void refusedReplaceShowsValueToReadersOnly() {
		try (StoreClient client = client()) {
			client.call("SET", "open/k", "v");
			client.call("SET", "writable/k", "v");
			String version = "1:0:other";
			assertThat(Resp.text(client.call("REPLACE", "open/k", "new", version))).isEqualTo("$1⏎v⏎");
			assertThat(Resp.text(client.call("REPLACE", "writable/k", "new", version))).isEqualTo(":-1⏎");
		}
	}

	@Test
	void scanReturnsReadableKeysOnly() {
		try (StoreClient client = client()) {
			for (int i = 0; i < 50; i++) {
				client.call("SET", "writable/scan-" + i, "v");
				client.call("SET", "open/scan-" + i, "v");
			}
			assertThat(client.scan("*scan-*")).hasSize(50).allMatch((key) -> key.startsWith("open/"));
			assertThat(client.scan("writable/*")).isEmpty();
			assertThat(client.scan("writable/scan-1")).isEmpty();
			assertThat(client.scan("open/scan-1")).containsExactly("open/scan-1");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "get", "NONSENSE", "" })
	void syntaxPrecedesPermission(String command) {
		try (StoreClient client = client()) {
			assertThat(Resp.text(client.call(command, "secret/k"))).isEqualTo("-ERR unknown command⏎");
		}
	}

	@Test
	void permissionPrecedesTimestampAndFencing() {
		try (StoreClient client = client()) {
			RawPublish reply = client.call((request) -> request.without("__ts"), "SET", "secret/k", "v");
			assertThat(Resp.text(reply)).isEqualTo(DENIED);
			assertThat(Resp.text(client.call((request) -> request.with("__ft", "nonsense"), "SET", "secret/k", "v")))
				.isEqualTo(DENIED);
			assertThat(Resp.text(client.call((request) -> request.without("__ts"), "SET", "open/k", "v")))
				.isEqualTo("-ERR missing timestamp⏎");
		}
	}

}
