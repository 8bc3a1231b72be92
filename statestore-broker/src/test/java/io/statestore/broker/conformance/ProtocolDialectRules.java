package io.statestore.broker.conformance;

import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commands that only the dialect of the published articles accepts (section 9), and the
 * articles' main example, byte by byte.
 */
interface ProtocolDialectRules extends ConformanceContext {

	@Test
	default void acceptsArticleExamplesInSpecificationDialectOnly() {
		StoreClient client = newClient();
		String set = "*3⏎$3⏎set⏎$7⏎SETKEY2⏎$6⏎VALUE5⏎";
		String vdel = "*3⏎$4⏎vdel⏎$7⏎SETKEY2⏎$3⏎ABC⏎";
		String notify = "*2⏎$9⏎KEYNOTIFY⏎$7⏎SOMEKEY⏎";

		assertThat(reply(client, set)).isEqualTo(inSpecification("+OK⏎"));
		assertThat(reply(client, "*2⏎$3⏎get⏎$7⏎SETKEY2⏎")).isEqualTo(inSpecification("$6⏎VALUE5⏎"));
		assertThat(reply(client, vdel)).isEqualTo(inSpecification("-1⏎"));
		assertThat(reply(client, "*2⏎$3⏎del⏎$7⏎SETKEY2⏎")).isEqualTo(inSpecification(":1⏎"));
		assertThat(reply(client, "*3⏎$3⏎set⏎$7⏎SETKEY2⏎$3⏎ABC⏎")).isEqualTo(inSpecification("+OK⏎"));
		assertThat(reply(client, vdel)).isEqualTo(inSpecification(":1⏎"));
		assertThat(reply(client, "*2⏎$3⏎get⏎$7⏎SETKEY2⏎")).isEqualTo(inSpecification("$-1⏎"));
		assertThat(reply(client, notify)).isEqualTo("+OK⏎");
		assertThat(reply(client, notify.replace("*2", "*3") + "$4⏎STOP⏎")).isEqualTo("+OK⏎");
		assertThat(reply(client, notify.replace("*2", "*3") + "$4⏎STOP⏎")).isEqualTo(":0⏎");
	}

	private String inSpecification(String reply) {
		return isSpecification() ? reply : "-ERR unknown command⏎";
	}

	@Test
	default void acceptsLowercaseKeynotifyInSpecificationDialectOnly() {
		StoreClient client = newClient();

		assertThat(Resp.text(client.call("keynotify", unique("k")))).isEqualTo(inSpecification("+OK⏎"));
		assertThat(Resp.text(client.call("keynotify", ""))).isEqualTo(inSpecification("-ERR: the key length is zero⏎"));
	}

	@Test
	default void comparesNexArgumentInSpecificationDialectOnly() {
		StoreClient client = newClient();
		String key = unique("k");
		String absent = unique("k");
		client.call("SET", key, "old");

		RawPublish other = client.call("SET", key, "new", "NEX", "other");
		RawPublish equal = client.call("SET", key, "new", "NEX", "old", "PX", "60000");
		RawPublish renewal = client.call("SET", key, "new", "PX", "60000", "NEX", "new");
		RawPublish first = client.call("SET", absent, "PX", "NEX", "PX");

		if (isSpecification()) {
			assertThat(Resp.text(other)).isEqualTo("-1⏎");
			assertThat(Resp.text(equal)).isEqualTo("+OK⏎");
			assertThat(Resp.text(renewal)).isEqualTo("+OK⏎");
			assertThat(Resp.text(first)).isEqualTo("+OK⏎");
			assertThat(client.value(key)).isEqualTo("new");
			assertThat(client.value(absent)).isEqualTo("PX");
		}
		else {
			assertThat(Resp.text(other)).isEqualTo("-ERR syntax error⏎");
			assertThat(Resp.text(equal)).isEqualTo("-ERR wrong number of arguments⏎");
			assertThat(Resp.text(renewal)).isEqualTo("-ERR wrong number of arguments⏎");
			assertThat(client.value(key)).isEqualTo("old");
		}
	}

	@Test
	default void acceptsKeynotifyGetInSpecificationDialectOnly() {
		StoreClient client = newClient();
		String key = unique("k");
		client.mqtt().subscribe(client.notificationFilter());

		RawPublish reply = client.call("KEYNOTIFY", key, "GET");

		if (isSpecification()) {
			assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
			client.call("SET", key, "abc");
			assertThat(Resp.text(client.notification(key))).isEqualTo("*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$3⏎abc⏎");
			assertThat(Resp.text(client.call("KEYNOTIFY", key, "STOP"))).isEqualTo("+OK⏎");
		}
		else {
			assertThat(Resp.text(reply)).isEqualTo("-ERR syntax error⏎");
		}
	}

	/**
	 * Two clients share a lock that protects a key. The first client's lease expires, and
	 * the second client acquires the lock. The first client's token is then stale.
	 */
	@Test
	default void refusesStaleTokenInMainExample() {
		StoreClient one = newClient();
		StoreClient two = newClient();
		two.watch("LockName");
		String acquire = "*6⏎$3⏎SET⏎$8⏎LockName⏎$7⏎Client1⏎$3⏎NEX⏎$2⏎PX⏎$5⏎10000⏎";
		String compete = acquire.replace("Client1", "Client2");
		String write = "*3⏎$3⏎SET⏎$12⏎ProtectedKey⏎$1⏎1⏎";

		RawPublish acquired = exchange(one, acquire, null);
		assertThat(Resp.text(acquired)).isEqualTo("+OK⏎");
		Hlc first = Hlc.of(acquired);
		assertThat(Resp.text(exchange(two, compete, null))).isEqualTo(notApplied());
		assertThat(Resp.text(exchange(one, write, first))).isEqualTo("+OK⏎");
		String lastRenewal = acquire.replace("$5⏎10000", "$3⏎100");
		assertThat(Resp.text(exchange(one, lastRenewal, null))).isEqualTo("+OK⏎");
		two.notification("LockName");
		two.notification("LockName");
		assertThat(Resp.text(two.notification("LockName"))).isEqualTo(deletion());

		RawPublish taken = exchange(two, compete, null);
		assertThat(Resp.text(taken)).isEqualTo("+OK⏎");
		Hlc second = Hlc.of(taken);
		assertThat(second).isGreaterThan(first);
		assertThat(Resp.text(exchange(two, write.replace("⏎1⏎", "⏎2⏎"), second))).isEqualTo("+OK⏎");

		assertThat(Resp.text(exchange(one, write, first))).isEqualTo(error(FencingRules.LOWER));
		assertThat(Resp.text(exchange(one, write, null))).isEqualTo(error(FencingRules.REQUIRED));
		String delete = "*2⏎$3⏎DEL⏎$12⏎ProtectedKey⏎";
		assertThat(Resp.text(exchange(one, delete, first))).isEqualTo(error(FencingRules.LOWER));
		assertThat(reply(one, "*2⏎$3⏎GET⏎$12⏎ProtectedKey⏎")).isEqualTo("$1⏎2⏎");

		String release = "*3⏎$4⏎VDEL⏎$8⏎LockName⏎$7⏎Client1⏎";
		assertThat(reply(one, release)).isEqualTo(notApplied());
		assertThat(reply(two, release.replace("Client1", "Client2"))).isEqualTo(":1⏎");
		assertThat(Resp.text(exchange(two, delete, second))).isEqualTo(":1⏎");
	}

	private static String reply(StoreClient client, String payload) {
		return Resp.text(exchange(client, payload, null));
	}

	private static RawPublish exchange(StoreClient client, String payload, @Nullable Hlc token) {
		RawPublish request = client.request(Resp.raw(payload));
		if (token != null) {
			request.with("__ft", token.unpadded());
		}
		return client.exchange(request);
	}

}
