package io.statestore.broker.conformance;

import java.util.ArrayList;
import java.util.List;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Versions (sections 1, 4, and 10). */
interface VersionRules extends ConformanceContext {

	/** Runs first, before another test advances the server's clock. */
	@Order(1)
	@Test
	default void counterReturnsToZeroWhenWallTimeAdvances() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc previous = Hlc.of(client.call((request) -> request.at("1:0:past"), "SET", key, "v"));
		int advances = 0;
		while (advances < 20) {
			Hlc version = Hlc.of(client.call((request) -> request.at("1:0:past"), "SET", key, "v"));
			if (version.wall() > previous.wall()) {
				assertThat(version.counter()).isEqualTo(1);
				assertThat(version.wall()).isCloseTo(System.currentTimeMillis(), within(60_000L));
				advances++;
			}
			previous = version;
		}
	}

	/**
	 * The example in the published articles: a SET with {@code T:0:CLIENT} gets
	 * {@code T:1:StateStore}, even if the server is in a later millisecond. A SET in the
	 * same millisecond as the previous SET is not checked.
	 */
	@Order(2)
	@Test
	default void repliesToCurrentTimestampWithCounterOne() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc previous = Hlc.of(client.call((request) -> request.at("1:0:past"), "SET", key, "v"));
		for (int compared = 0; compared < 300;) {
			Hlc version = Hlc.of(client.call((request) -> request.at(Hlc.now(0).unpadded()), "SET", key, "v"));
			if (version.wall() > previous.wall()) {
				assertThat(version.counter()).isEqualTo(1);
				compared++;
			}
			previous = version;
		}
	}

	@Test
	default void versionIsUnpaddedServerClock() {
		StoreClient client = newClient();
		RawPublish reply = client.call("SET", unique("k"), "v");

		assertThat(Hlc.of(reply).node()).isEqualTo("StateStore");
	}

	@Test
	default void setRepliesNewAndGetStoredVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc version = Hlc.of(client.call("SET", key, "v"));

		assertThat(Hlc.of(client.call("GET", key))).isEqualTo(version);
		assertThat(Hlc.of(client.call("GET", key))).isEqualTo(version);
	}

	@Test
	default void unappliedSetRepliesStoredVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc version = Hlc.of(client.call("SET", key, "v"));

		assertThat(Hlc.of(client.call("SET", key, "w", "NX"))).isEqualTo(version);
		assertThat(Hlc.of(client.call("SET", key, "w", "NEX"))).isEqualTo(version);
		assertThat(Hlc.of(client.call("VDEL", key, "w"))).isEqualTo(version);
		assertThat(Hlc.of(client.call("GET", key))).isEqualTo(version);
	}

	@Test
	default void renewalIssuesNewVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc version = Hlc.of(client.call("SET", key, "v", "NEX"));

		assertThat(Hlc.of(client.call("SET", key, "v", "NEX"))).isGreaterThan(version);
	}

	@Test
	default void deletionRepliesItsVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc set = Hlc.of(client.call("SET", key, "v"));
		Hlc deleted = Hlc.of(client.call("DEL", key));
		Hlc setAgain = Hlc.of(client.call("SET", key, "v"));
		Hlc vdeleted = Hlc.of(client.call("VDEL", key, "v"));

		assertThat(List.of(set, deleted, setAgain, vdeleted)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void missKeynotifyAndErrorHaveNoVersion() {
		StoreClient client = newClient();
		String key = unique("k");
		for (Object[] command : new Object[][] { { "GET", key }, { "DEL", key }, { "VDEL", key, "v" },
				{ "KEYNOTIFY", key }, { "KEYNOTIFY", key, "STOP" }, { "KEYNOTIFY", key, "STOP" } }) {
			assertThat(client.call(command).userProperty("__ts")).as(List.of(command).toString()).isNull();
		}
	}

	@Test
	default void versionsIncreaseAcrossEntireStore() {
		StoreClient first = newClient();
		StoreClient second = newClient();
		String one = unique("k");
		String two = unique("k");
		List<Hlc> versions = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			versions.add(Hlc.of(first.call("SET", one, "v" + i)));
			versions.add(Hlc.of(second.call("SET", two, "v" + i)));
			versions.add(Hlc.of(second.call("DEL", one)));
			versions.add(Hlc.of(first.call("VDEL", two, "v" + i)));
		}

		assertThat(versions).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void versionAfterExpiryIsGreater() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		Hlc set = Hlc.of(client.call("SET", key, "v", "PX", "20"));
		assertThat(Hlc.of(client.notification(key))).isEqualTo(set);
		Hlc expired = Hlc.of(client.notification(key));
		Hlc setAgain = Hlc.of(client.call("SET", key, "v"));

		assertThat(List.of(set, expired, setAgain)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void versionExceedsTimestamp() {
		StoreClient client = newClient();
		Hlc ahead = new Hlc(System.currentTimeMillis() + 30_000, 4711, "zzz");

		assertThat(Hlc.of(client.call((request) -> request.at(ahead.padded()), "SET", unique("k"), "v")))
			.isGreaterThan(ahead);
	}

	@Test
	default void versionExceedsFencingToken() {
		StoreClient client = newClient();
		Hlc ahead = new Hlc(System.currentTimeMillis() + 31_000, 4711, "zzz");

		assertThat(Hlc.of(client.callFenced(ahead, "SET", unique("k"), "v"))).isGreaterThan(ahead);
	}

	@Test
	default void mergesTimestampFromAnyCommand() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc ahead = new Hlc(System.currentTimeMillis() + 32_000, 4711, "zzz");

		client.call((request) -> request.at(ahead.padded()), "GET", key);

		assertThat(Hlc.of(client.call("SET", key, "v"))).isGreaterThan(ahead);
	}

	@Test
	default void acceptsPaddedAndRepeatedTimestamps() {
		StoreClient client = newClient();
		Hlc now = Hlc.now(0);
		for (List<String> timestamps : List.of(List.of(now.padded()), List.of(now.unpadded()),
				List.of(now.padded(), now.padded()), List.of(now.unpadded(), now.padded()))) {
			RawPublish reply = client.call((request) -> {
				request.without("__ts");
				timestamps.forEach((timestamp) -> request.with("__ts", timestamp));
			}, "SET", unique("k"), "v");
			assertThat(Resp.text(reply)).as(timestamps.toString()).isEqualTo("+OK⏎");
		}
	}

	@Test
	default void refusesSetWithoutTimestamp() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(client.call((request) -> request.without("__ts"), "SET", key, "v").payload)
			.isEqualTo(Resp.raw(error("missing timestamp")));
		assertThat(client.value(key)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1", "1:2", "1:2:", ":1:node", "1::node", "-1:0:node", "1:-1:node",
			"1:2147483648:node", "1000000000000000:0:node", "1:0:no:de", "a:b:c", "1696374425000.5:1:node" })
	default void refusesSetWithMalformedTimestamp(String timestamp) {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(client.call((request) -> request.at(timestamp), "SET", key, "v").payload)
			.isEqualTo(Resp.raw(error("malformed timestamp")));
		assertThat(client.value(key)).isNull();
	}

	@Test
	default void otherCommandsIgnoreInvalidTimestamp() {
		StoreClient client = newClient();
		String key = unique("k");
		for (String timestamp : List.of("nonsense", "", Hlc.now(600_000).padded())) {
			client.call("SET", key, "v");
			for (Object[] command : new Object[][] { { "GET", key }, { "KEYNOTIFY", key }, { "SCAN", key },
					{ "KEYNOTIFY", key, "STOP" }, { "VDEL", key, "v" }, { "DEL", key } }) {
				RawPublish reply = client.call((request) -> {
					request.without("__ts");
					if (!timestamp.isEmpty()) {
						request.with("__ts", timestamp);
					}
				}, command);
				assertThat(Resp.text(reply)).as(List.of(command) + " with __ts '" + timestamp + "'")
					.doesNotStartWith("-ERR");
			}
		}
	}

	@Test
	default void refusesTimestampMoreThanOneMinuteAhead() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc ahead = Hlc.now(90_000);

		assertThat(client.call((request) -> request.at(ahead.padded()), "SET", key, "v").payload)
			.isEqualTo(Resp.raw(error("the request timestamp is too far in the future; ensure that the client and "
					+ "broker system clocks are synchronized")));
		assertThat(client.value(key)).isNull();
		assertThat(Hlc.of(client.call("SET", key, "v"))).isLessThan(ahead);
	}

	@Test
	default void acceptsTimestampInPastOrWithinNextMinute() {
		StoreClient client = newClient();
		for (Hlc timestamp : List.of(Hlc.now(-86_400_000), Hlc.now(33_000), new Hlc(0, 0, "n"))) {
			assertThat(Resp.text(client.call((request) -> request.at(timestamp.padded()), "SET", unique("k"), "v")))
				.isEqualTo("+OK⏎");
		}
	}

}
