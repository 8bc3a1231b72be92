package io.statestore.broker.conformance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Invalid commands and the text of their errors (sections 2, 3, and 10). */
interface SyntaxRules extends ConformanceContext {

	@ParameterizedTest
	@ValueSource(strings = { "", "⏎", "*0⏎", "*-1⏎", "$-1⏎", "GET k⏎", "+OK⏎", "*2⏎$3⏎GET⏎$-1⏎", "*1⏎$-1⏎", "*", "*2",
			"*2⏎", "*2⏎$3⏎GET⏎", "*2⏎$3⏎GET⏎$1⏎k", "*2⏎$3⏎GET⏎$1⏎k\n", "*2⏎$3⏎GET⏎$1⏎k⏎x", "*2⏎$3⏎GET⏎$1⏎k⏎⏎",
			"*1⏎$3⏎GET⏎$1⏎k⏎", "*2⏎$3⏎GET⏎$2⏎k⏎", "*2⏎$2⏎GET⏎$1⏎k⏎", "*2⏎$3⏎GET⏎$2000000000⏎k⏎",
			"*2⏎$3⏎GET⏎$99999999999999999999⏎k⏎", "*99999999999999999999⏎$3⏎GET⏎$1⏎k⏎", "*2⏎$3⏎GET⏎:1⏎",
			"*2⏎$3⏎GET⏎$⏎k⏎", "*2⏎$3⏎GET⏎$a⏎k⏎", "*2\n$3\nGET\n$1\nk\n", "*2⏎+GET⏎$1⏎k⏎", "*2⏎$+3⏎GET⏎$1⏎k⏎",
			"*2⏎$ 3⏎GET⏎$1⏎k⏎", "*2000000000⏎" })
	default void refusesAnythingButArrayOfBulkStrings(String payload) {
		StoreClient client = newClient();

		assertThat(client.exchange(client.request(Resp.raw(payload))).payload)
			.isEqualTo(Resp.raw(error("syntax error")));
	}

	@Test
	default void lengthsCountBytes() {
		StoreClient client = newClient();

		assertThat(Resp.text(client.exchange(client.request(Resp.raw("*2⏎$3⏎GET⏎$1⏎ü⏎")))))
			.isEqualTo(error("syntax error"));
		assertThat(Resp.text(client.exchange(client.request(Resp.raw("*2⏎$3⏎GET⏎$2⏎ü⏎"))))).isEqualTo("$-1⏎");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "1.5", "", "abc", "+1", " 1", "99999999999999999999" })
	default void refusesExpiryThatIsNotAPositiveInteger(String millis) {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("SET", key, "v", "PX", millis))).isEqualTo(error("syntax error"));
		assertThat(client.value(key)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "XX", "nx", "nex", "px 100", "NX NX", "NX NEX", "PX NX 100" })
	default void refusesUnknownAndRepeatedOptions(String options) {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call((Object[]) ("SET " + key + " v " + options).split(" "))))
			.isEqualTo(error("syntax error"));
		assertThat(client.value(key)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Get", "SET2", "PING", "PUBLISH", "" })
	default void emptyMixedCaseOrOtherVerbIsUnknownCommand(String verb) {
		assertThat(newClient().call(verb, "k").payload).isEqualTo(Resp.raw(error("unknown command")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "GET k k", "SET", "SET k", "SET k v PX", "SET k v NX PX", "SET k v NX PX 100 x",
			"DEL", "DEL k k", "VDEL k", "VDEL k v v", "KEYNOTIFY", "KEYNOTIFY k STOP x", "SCAN", "SCAN * t t" })
	default void knownVerbWithWrongCountIsWrongNumberOfArguments(String command) {
		assertThat(newClient().call((Object[]) command.split(" ")).payload)
			.isEqualTo(Resp.raw(error(command, "wrong number of arguments")));
	}

	@Test
	default void refusesKeynotifyWithUnknownOption() {
		for (String word : new String[] { "stop", "get", "" }) {
			assertThat(Resp.text(newClient().call("KEYNOTIFY", "k", word)))
				.isEqualTo(error("KEYNOTIFY", "syntax error"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET ", "SET  v", "DEL ", "VDEL  v", "KEYNOTIFY ", "KEYNOTIFY  STOP" })
	default void refusesEmptyKey(String command) {
		assertThat(newClient().call((Object[]) command.split(" ", -1)).payload)
			.isEqualTo(Resp.raw(error(command, "the key length is zero")));
	}

	@Test
	default void watchesLongestPossibleKey() {
		StoreClient client = newClient();
		String key = unique("k") + "x".repeat(32_700 - 9);

		client.watch(key);
		client.call("SET", key, "v");

		assertThat(Resp.text(client.notification(key))).endsWith("$1⏎v⏎");
		client.call("DEL", key);
	}

	@Test
	default void storesKeyTooLongToWatch() {
		StoreClient client = newClient();
		String key = unique("k") + "x".repeat(32_760);

		assertThat(Resp.text(client.call("SET", key, "v"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("KEYNOTIFY", key))).isEqualTo(error("KEYNOTIFY", "syntax error"));
		assertThat(client.value(key)).isEqualTo("v");
		client.call("DEL", key);
	}

}
