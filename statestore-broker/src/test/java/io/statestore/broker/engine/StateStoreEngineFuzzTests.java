package io.statestore.broker.engine;

import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the machine with encoded requests and compares it with a {@link NaiveStore}
 * after each request.
 * <p>
 * An input consists of an optional {@code Q} for a small quota, followed by steps, each
 * ending with {@code ~}. A step starts with two characters, where {@code @} means 0:
 * first the client and the time that passes, then the timestamp and the fencing token of
 * the request. The payload of the request follows. A step without payload removes expired
 * keys.
 */
class StateStoreEngineFuzzTests {

	private static final long[] MILLIS = { 0, 1, 20, 59, 1_000, 3_600_000, -50_000, 100_000 };

	@FuzzTest
	void answersLikeNaiveStore(byte[] input) {
		if (input.length == 0) {
			return;
		}
		ComparedStore compared = new ComparedStore((input[0] == 'Q') ? new Quota(3, 30) : Quota.UNLIMITED);
		int start = 1;
		for (int end = start; end < input.length; end++) {
			if (input[end] == '~') {
				step(compared, Arrays.copyOfRange(input, start, end));
				start = end + 1;
			}
		}
	}

	private static void step(ComparedStore compared, byte[] step) {
		if (step.length < 2) {
			return;
		}
		long millis = MILLIS[(step[0] >> 2) & 7];
		compared.store.wallMillis += millis;
		compared.store.nanos += Math.max(0, millis) * 1_000_000 + (((step[0] & 32) != 0) ? 500_000 : 0);
		int client = step[0] & 3;
		if (step.length > 2) {
			request(compared, step, client);
		}
		else {
			compared.expire(1 + client);
		}
	}

	private static void request(ComparedStore compared, byte[] step, int client) {
		Reply reply;
		try {
			Command command = Commands.decode(Bytes.wrap(step).slice(2, step.length), ProtocolDialect.SPECIFICATION);
			if (command instanceof Command.KeyNotify || command instanceof Command.KeyNotifyStop) {
				return;
			}
			reply = compared
				.apply(command, timestamp(compared, step[1] & 7), token(compared, (step[1] >> 3) & 7),
						new Requester((client > 0) ? "p" + client / 2 : null, String.valueOf(client % 2)))
				.reply();
		}
		catch (ProtocolException ex) {
			reply = Answer.refused(ex.reason()).reply();
		}
		for (ProtocolDialect form : ProtocolDialect.values()) {
			assertThat(Replies.decode(Bytes.wrap(Replies.encode(reply, form)))).isEqualTo(reply);
		}
	}

	private static @Nullable String timestamp(ComparedStore compared, int choice) {
		TestStore store = compared.store;
		return switch (choice) {
			case 0 -> store.now().toString();
			case 1 -> null;
			case 2 -> "malformed";
			case 3 -> store.ahead(60_001).toString();
			case 4 -> store.ahead(60_000).toPaddedString();
			case 5 -> store.ahead(-90).toString();
			case 6 -> new Version(store.wallMillis, 1_000, "client").toString();
			default -> compared.last.toString();
		};
	}

	private static @Nullable String token(ComparedStore compared, int choice) {
		return switch (choice) {
			case 0 -> null;
			case 1 -> compared.last.toString();
			case 2 -> compared.versions.isEmpty() ? null : compared.versions.get(0).toPaddedString();
			case 3 -> "1:1";
			case 4 -> compared.store.ahead(59_000).toString();
			case 5 -> compared.store.ahead(120_000).toString();
			case 6 -> "1:1:a-longer-node-id";
			default -> new Version(compared.last.wallMillis(), compared.last.counter(), "zzz").toString();
		};
	}

}
