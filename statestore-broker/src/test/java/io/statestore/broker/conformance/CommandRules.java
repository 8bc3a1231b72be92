package io.statestore.broker.conformance;

import java.util.List;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Effects of the commands, and their replies byte by byte (sections 2, 9, and 10). */
interface CommandRules extends ConformanceContext {

	@Test
	default void setRepliesOk() {
		StoreClient client = newClient();
		String key = unique("key_____");
		RawPublish reply = client.exchange(client.request(Resp.raw("*3⏎$3⏎SET⏎$16⏎" + key + "⏎$5⏎value⏎")));

		assertThat(reply.payload).isEqualTo(Resp.raw("+OK⏎"));
	}

	@Test
	default void getRepliesValue() {
		StoreClient client = newClient();
		String key = unique("key_____");
		client.call("SET", key, "value");

		assertThat(client.exchange(client.request(Resp.raw("*2⏎$3⏎GET⏎$16⏎" + key + "⏎"))).payload)
			.isEqualTo(Resp.raw("$5⏎value⏎"));
	}

	@Test
	default void getRepliesNullBulkForAbsentKey() {
		assertThat(newClient().call("GET", unique("k")).payload).isEqualTo(Resp.raw("$-1⏎"));
	}

	@Test
	default void delRepliesOneOrZero() {
		StoreClient client = newClient();
		String key = unique("key_____");
		client.call("SET", key, "value");
		byte[] payload = Resp.raw("*2⏎$3⏎DEL⏎$16⏎" + key + "⏎");

		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw(":1⏎"));
		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw(":0⏎"));
		assertThat(client.value(key)).isNull();
	}

	@Test
	default void vdelRepliesMinusOneThenOneThenZero() {
		StoreClient client = newClient();
		String key = unique("key_____");
		client.call("SET", key, "value");

		assertThat(client.call("VDEL", key, "other").payload).isEqualTo(Resp.raw(notApplied()));
		assertThat(client.value(key)).isEqualTo("value");
		byte[] payload = Resp.raw("*3⏎$4⏎VDEL⏎$16⏎" + key + "⏎$5⏎value⏎");
		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw(":1⏎"));
		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw(":0⏎"));
	}

	@Test
	default void nxSetsOnlyIfAbsent() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("SET", key, "1", "NX"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("SET", key, "2", "NX"))).isEqualTo(notApplied());
		assertThat(Resp.text(client.call("SET", key, "1", "NX"))).isEqualTo(notApplied());
		assertThat(client.value(key)).isEqualTo("1");
	}

	@Test
	default void nexSetsIfAbsentOrEqual() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("SET", key, "1", "NEX"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("SET", key, "1", "NEX"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("SET", key, "2", "NEX"))).isEqualTo(notApplied());
		assertThat(client.value(key)).isEqualTo("1");
	}

	@Test
	default void acceptsConditionAndExpiryInAnyOrder() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("SET", key, "1", "NX", "PX", "60000"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("SET", key, "2", "PX", "60000", "NX"))).isEqualTo(notApplied());
		assertThat(Resp.text(client.call("SET", key, "1", "PX", "60000", "NEX"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("SET", key, "2", "NEX", "PX", "60000"))).isEqualTo(notApplied());
	}

	@Test
	default void getMissesImmediatelyAfterDeadline() throws InterruptedException {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v", "PX", "150");

		// Keys never expire early, but up to a millisecond late if the server counts
		// whole milliseconds.
		Thread.sleep(152);

		assertThat(client.value(key)).isNull();
		assertThat(Resp.text(client.call("DEL", key))).isEqualTo(":0⏎");
	}

	@Test
	default void acceptsOneMillisecondExpiry() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);

		assertThat(Resp.text(client.call("SET", key, "v", "PX", "1"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.notification(key))).startsWith("*4⏎");
		assertThat(Resp.text(client.notification(key))).isEqualTo(deletion());
	}

	@Test
	default void setWithoutExpiryClearsEarlierExpiry() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v", "PX", "100");
		client.call("SET", key, "v");

		awaitExpiryOfAnotherKey(client, "100");

		assertThat(client.value(key)).isEqualTo("v");
	}

	@Test
	default void unappliedSetKeepsExpiry() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.call("SET", key, "v", "PX", "150");
		client.call("SET", key, "w", "NX", "PX", "60000");
		client.call("SET", key, "w", "NEX");

		client.notification(key);
		assertThat(Resp.text(client.notification(key))).isEqualTo(deletion());
	}

	@Test
	default void renewalMovesDeadline() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v", "NEX", "PX", "300");
		client.call("SET", key, "v", "NEX", "PX", "60000");

		awaitExpiryOfAnotherKey(client, "300");

		assertThat(client.value(key)).isEqualTo("v");
	}

	/**
	 * Sets another key and waits for its expiry, by which time a key set earlier with the
	 * same expiry has also expired.
	 */
	private void awaitExpiryOfAnotherKey(StoreClient client, String milliseconds) {
		String marker = unique("marker");
		client.watch(marker);
		client.call("SET", marker, "v", "PX", milliseconds);
		client.notification(marker);
		assertThat(Resp.text(client.notification(marker))).isEqualTo(deletion());
	}

	@Test
	default void keysAndValuesAreArbitraryBytes() {
		StoreClient client = newClient();
		byte[] suffix = Resp.bytes(unique("k"));
		byte[] key = new byte[256 + suffix.length];
		for (int i = 0; i < 256; i++) {
			key[i] = (byte) i;
		}
		System.arraycopy(suffix, 0, key, 256, suffix.length);
		byte[] value = Resp.bytes("a\r\n$-1\r\n\0/+#");

		assertThat(Resp.text(client.call("SET", key, value))).isEqualTo("+OK⏎");
		assertThat(client.call("GET", key).payload).isEqualTo(Resp.bulk(value));
		assertThat(Resp.text(client.call("VDEL", key, value))).isEqualTo(":1⏎");
	}

	@Test
	default void optionLikeKeyOrValueIsData() {
		StoreClient client = newClient();

		client.call("SET", "NX", "PX");

		assertThat(client.value("NX")).isEqualTo("PX");
		client.call("DEL", "NX");
	}

	@Test
	default void acceptsEmptyValue() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("SET", key, ""))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("GET", key))).isEqualTo("$0⏎⏎");
		assertThat(Resp.text(client.call("VDEL", key, ""))).isEqualTo(":1⏎");
	}

	@Test
	default void replaceSetsOnlyExpectedVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc first = Hlc.of(client.call("SET", key, "1"));

		Hlc second = Hlc.of(client.call("REPLACE", key, "2", first.unpadded()));
		assertThat(second).isGreaterThan(first);
		RawPublish refused = client.call("REPLACE", key, "3", first.unpadded());
		assertThat(Resp.text(refused)).isEqualTo("$1⏎2⏎");
		assertThat(Hlc.of(refused)).isEqualTo(second);
		assertThat(client.value(key)).isEqualTo("2");
		client.call("DEL", key);
		assertThat(Resp.text(client.call("REPLACE", key, "3", second.unpadded()))).isEqualTo(":0⏎");
		assertThat(client.value(key)).isNull();
	}

	@Test
	default void incrementAddsToDecimalNumber() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("INCRBY", key, "5"))).isEqualTo(":5⏎");
		RawPublish sum = client.call("INCRBY", key, "-12");
		assertThat(Resp.text(sum)).isEqualTo(":-7⏎");
		assertThat(client.value(key)).isEqualTo("-7");
		assertThat(Hlc.of(client.call("GET", key))).isEqualTo(Hlc.of(sum));
		client.call("SET", key, "9223372036854775806", "PX", "60000");
		assertThat(Resp.text(client.call("INCRBY", key, "1"))).isEqualTo(":9223372036854775807⏎");
		assertThat(millisToLive(client, key)).isBetween(30_000L, 60_000L);
		assertThat(Resp.text(client.call("INCRBY", key, "1"))).contains("-ERR not a whole number of 64 bits");
		assertThat(client.value(key)).isEqualTo("9223372036854775807");
	}

	@Test
	default void incrementGivesExpiryToNewKeyOnly() {
		StoreClient client = newClient();
		String key = unique("k");

		client.call("INCRBY", key, "1", "PX", "60000");
		assertThat(millisToLive(client, key)).isBetween(30_000L, 60_000L);
		client.call("INCRBY", key, "1", "PX", "600000");
		assertThat(millisToLive(client, key)).isBetween(30_000L, 60_000L);
		client.call("SET", key, "1");
		client.call("INCRBY", key, "1", "PX", "60000");
		assertThat(Resp.text(client.call("TTL", key))).isEqualTo(notApplied());
	}

	@Test
	default void incrementRequiresWholeNumber() {
		StoreClient client = newClient();
		String key = unique("k");

		for (String value : List.of("", "many", "1.0", "01", "+1", " 1", "-0", "9223372036854775808")) {
			client.call("SET", key, value);
			assertThat(Resp.text(client.call("INCRBY", key, "1"))).contains("-ERR not a whole number of 64 bits");
			assertThat(client.value(key)).isEqualTo(value);
			assertThat(Resp.text(client.call("INCRBY", key, value))).contains("-ERR syntax error");
		}
		assertThat(Resp.text(client.call("INCRBY", key))).contains("-ERR wrong number of arguments");
		assertThat(Resp.text(client.call("INCRBY", key, "1", "PX"))).contains("-ERR wrong number of arguments");
		assertThat(Resp.text(client.call("INCRBY", key, "1", "NX", "1"))).contains("-ERR syntax error");
		assertThat(Resp.text(client.call("INCRBY", key, "1", "PX", "0"))).contains("-ERR syntax error");
	}

	@Test
	default void ttlShowsExpiryKeptByReplace() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call("TTL", key))).isEqualTo("$-1⏎");
		Hlc version = Hlc.of(client.call("SET", key, "1"));
		assertThat(Resp.text(client.call("TTL", key))).isEqualTo(notApplied());
		version = Hlc.of(client.call("REPLACE", key, "2", version.unpadded(), "PX", "60000"));
		assertThat(millisToLive(client, key)).isBetween(30_000L, 60_000L);
		client.call("REPLACE", key, "3", version.unpadded());
		assertThat(millisToLive(client, key)).isBetween(30_000L, 60_000L);
		assertThat(client.value(key)).isEqualTo("3");
	}

	private static long millisToLive(StoreClient client, String key) {
		String text = Resp.text(client.call("TTL", key));
		assertThat(text).matches(":\\d+⏎");
		return Long.parseLong(text.substring(1, text.length() - 1));
	}

	@Test
	default void keynotifyRepliesOkIfAlreadyWatched() {
		StoreClient client = newClient();
		String key = unique("key_____");
		byte[] payload = Resp.raw("*2⏎$9⏎KEYNOTIFY⏎$16⏎" + key + "⏎");

		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw("+OK⏎"));
		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw("+OK⏎"));
	}

	@Test
	default void keynotifyStopRepliesOkThenZero() {
		StoreClient client = newClient();
		String key = unique("key_____");
		client.call("KEYNOTIFY", key);
		byte[] payload = Resp.raw("*3⏎$9⏎KEYNOTIFY⏎$16⏎" + key + "⏎$4⏎STOP⏎");

		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw("+OK⏎"));
		assertThat(client.exchange(client.request(payload)).payload).isEqualTo(Resp.raw(":0⏎"));
	}

}
