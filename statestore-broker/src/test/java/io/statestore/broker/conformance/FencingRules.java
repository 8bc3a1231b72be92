package io.statestore.broker.conformance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Fencing tokens (section 5). */
interface FencingRules extends ConformanceContext {

	String REQUIRED = "a fencing token is required for this request";

	String LOWER = "the request fencing token is a lower version than the fencing token protecting the resource";

	String TOKEN_AHEAD = "the request fencing token timestamp is too far in the future; ensure that the client "
			+ "and broker system clocks are synchronized";

	private static Hlc token(long wallMillis) {
		return new Hlc(wallMillis, 0, "StateStore");
	}

	private StoreClient fenced(String key, Hlc token) {
		StoreClient client = newClient();
		assertThat(Resp.text(client.callFenced(token, "SET", key, "v"))).isEqualTo("+OK⏎");
		return client;
	}

	@Test
	default void fencedKeyRequiresToken() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.call("SET", key, "w"))).isEqualTo(error(REQUIRED));
		assertThat(Resp.text(client.call("DEL", key))).isEqualTo(error(REQUIRED));
		assertThat(Resp.text(client.call("VDEL", key, "v"))).isEqualTo(error(REQUIRED));
		assertThat(Resp.text(client.call("INCRBY", key, "1"))).isEqualTo(error(REQUIRED));
		assertThat(client.value(key)).isEqualTo("v");
	}

	@Test
	default void refusesLowerToken() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.callFenced(token(999), "SET", key, "w"))).isEqualTo(error(LOWER));
		assertThat(Resp.text(client.callFenced(token(999), "DEL", key))).isEqualTo(error(LOWER));
		assertThat(Resp.text(client.callFenced(token(999), "VDEL", key, "v"))).isEqualTo(error(LOWER));
		assertThat(Resp.text(client.callFenced(token(999), "INCRBY", key, "1"))).isEqualTo(error(LOWER));
		String version = Hlc.of(client.call("GET", key)).unpadded();
		assertThat(Resp.text(client.callFenced(token(999), "REPLACE", key, "w", version))).isEqualTo(error(LOWER));
		assertThat(client.value(key)).isEqualTo("v");
	}

	@Test
	default void newerTokenReplacesOlder() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.callFenced(token(1000), "SET", key, "w"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.callFenced(token(1001), "SET", key, "x"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.callFenced(token(1000), "SET", key, "y"))).isEqualTo(error(LOWER));
		assertThat(Resp.text(client.callFenced(token(1001), "DEL", key))).isEqualTo(":1⏎");
	}

	@Test
	default void vdelWithTokenDeletes() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.callFenced(token(1000), "VDEL", key, "v"))).isEqualTo(":1⏎");
	}

	@Test
	default void comparesTokensAsNumbers() {
		String key = unique("k");
		StoreClient client = fenced(key, new Hlc(1000, 10, "StateStore"));

		assertThat(Resp.text(client.callFenced(new Hlc(1000, 9, "StateStore"), "SET", key, "w")))
			.isEqualTo(error(LOWER));
		assertThat(Resp.text(client.call((request) -> request.with("__ft", new Hlc(1000, 10, "StateStore").padded()),
				"SET", key, "w")))
			.isEqualTo("+OK⏎");
	}

	@Test
	default void getNeedsNoToken() {
		String key = unique("k");
		fenced(key, token(1000));

		assertThat(newClient().value(key)).isEqualTo("v");
	}

	@Test
	default void deletionRemovesFence() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));
		client.callFenced(token(1000), "DEL", key);

		assertThat(Resp.text(client.call("SET", key, "w"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(client.call("DEL", key))).isEqualTo(":1⏎");
	}

	@Test
	default void expiryRemovesFence() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.callFenced(token(1000), "SET", key, "v", "PX", "20");
		client.notification(key);
		client.notification(key);

		assertThat(Resp.text(client.call("SET", key, "w"))).isEqualTo("+OK⏎");
	}

	@Test
	default void unappliedSetStoresNoToken() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v");

		assertThat(Resp.text(client.callFenced(token(1000), "SET", key, "w", "NX"))).isEqualTo(notApplied());
		assertThat(Resp.text(client.call("SET", key, "w"))).isEqualTo("+OK⏎");
	}

	@Test
	default void unappliedVdelStoresNoToken() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.callFenced(token(2000), "VDEL", key, "other"))).isEqualTo(notApplied());
		assertThat(Resp.text(client.callFenced(token(1000), "DEL", key))).isEqualTo(":1⏎");
	}

	@Test
	default void checksFencingBeforeCondition() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.call("SET", key, "w", "NX"))).isEqualTo(error(REQUIRED));
		assertThat(Resp.text(client.callFenced(token(1), "SET", key, "w", "NX"))).isEqualTo(error(LOWER));
		assertThat(Resp.text(client.call("VDEL", key, "other"))).isEqualTo(error(REQUIRED));
	}

	@Test
	default void checksTimestampsBeforeFencing() {
		String key = unique("k");
		StoreClient client = fenced(key, token(1000));

		assertThat(Resp.text(client.call((request) -> request.without("__ts"), "SET", key, "w")))
			.isEqualTo(error("missing timestamp"));
	}

	@Test
	default void checksSyntaxBeforeTimestamps() {
		assertThat(Resp.text(newClient().call((request) -> request.without("__ts"), "SET", "k")))
			.isEqualTo(error("wrong number of arguments"));
	}

	@Test
	default void refusesTokenMoreThanOneMinuteAhead() {
		StoreClient client = newClient();
		String key = unique("k");
		Hlc ahead = Hlc.now(90_000);

		assertThat(Resp.text(client.callFenced(ahead, "SET", key, "v"))).isEqualTo(error(TOKEN_AHEAD));
		assertThat(Resp.text(client.callFenced(ahead, "DEL", key))).isEqualTo(error(TOKEN_AHEAD));
		assertThat(Resp.text(client.callFenced(ahead, "VDEL", key, "v"))).isEqualTo(error(TOKEN_AHEAD));
		assertThat(client.value(key)).isNull();
		assertThat(Hlc.of(client.call("SET", key, "v"))).isLessThan(ahead);
	}

	@Test
	default void reportsTimestampIfBothAreAhead() {
		assertThat(Resp.text(newClient().call(
				(request) -> request.at(Hlc.now(90_000).padded()).with("__ft", Hlc.now(90_000).padded()), "SET",
				unique("k"), "v")))
			.startsWith("-ERR the request timestamp is too far in the future;");
	}

	@ParameterizedTest
	@ValueSource(strings = { "nonsense", "1:2147483648:node", "1:0:", "" })
	default void refusesMalformedToken(String token) {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call((request) -> request.with("__ft", token), "SET", key, "v")))
			.isEqualTo(error("malformed timestamp"));
		assertThat(client.value(key)).isNull();
	}

}
