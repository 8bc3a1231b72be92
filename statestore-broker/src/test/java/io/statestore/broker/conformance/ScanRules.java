package io.statestore.broker.conformance;

import java.util.ArrayList;
import java.util.List;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** SCAN (section 2). */
interface ScanRules extends ConformanceContext {

	@Test
	default void lastPageIsArrayWithOneArray() {
		StoreClient client = newClient();
		String key = unique("scan____");
		client.call("SET", key, "v");

		assertThat(Resp.text(client.call("SCAN", key))).isEqualTo("*1⏎*1⏎$16⏎" + key + "⏎");
		assertThat(Resp.text(client.call("SCAN", unique("none")))).isEqualTo("*1⏎*0⏎");
	}

	@Test
	default void pagesContainEveryKeyOnce() {
		StoreClient client = newClient();
		String prefix = unique("s") + "/";
		List<String> expected = new ArrayList<>();
		List<RawPublish> requests = new ArrayList<>();
		for (int i = 0; i < 2500; i++) {
			expected.add(prefix + i);
			requests.add(client.request(Resp.command("SET", prefix + i, "v")));
			if (requests.size() == 20) {
				requests.forEach(client.mqtt()::send);
				requests.forEach(client::reply);
				requests.clear();
			}
		}

		assertThat(client.scan(prefix + "*")).containsExactlyInAnyOrderElementsOf(expected);
	}

	@ParameterizedTest
	@CsvSource({ "*, ab ac b ü a/b", "a?, ab ac", "?, b ü", "a*, ab ac a/b", "a[bc], ab ac", "a[a-b], ab", "a[!b], ac",
			"[!a]*, b ü", "b, b", "*b, ab b a/b", "a?b, a/b", "A?, ''" })
	default void patternsMatchEntireKey(String pattern, String matching) {
		StoreClient client = newClient();
		String prefix = unique("p") + ":";
		for (String key : List.of("ab", "ac", "b", "ü", "a/b")) {
			client.call("SET", prefix + key, "v");
		}

		List<String> expected = matching.isEmpty() ? List.of()
				: List.of(matching.split(" ")).stream().map(prefix::concat).toList();
		assertThat(client.scan(prefix + pattern)).containsExactlyInAnyOrderElementsOf(expected);
	}

	@Test
	default void omitsDeletedAndExpiredKeys() {
		StoreClient client = newClient();
		String prefix = unique("d") + ":";
		client.watch(prefix + 2);
		client.call("SET", prefix + 1, "v");
		client.call("SET", prefix + 2, "v", "PX", "1");
		client.call("SET", prefix + 3, "v");
		client.call("DEL", prefix + 1);
		client.notification(prefix + 2);
		client.notification(prefix + 2);

		assertThat(client.scan(prefix + "*")).containsExactly(prefix + 3);
	}

}
