package io.statestore.broker.server;

import java.nio.file.Path;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Memory of watched keys. The quota does not limit watched keys, because they do not have
 * to exist.
 */
@ParameterizedClass
@EnumSource(TestStorage.class)
class WatchMemoryTests {

	private static final Reply OK = new Reply.Ok();

	private static final Reply EXCEEDED = new Reply.Error(ErrorReason.QUOTA_EXCEEDED);

	private static final int COST = Watches.OVERHEAD + 2;

	private final MemoryBudget budget = new MemoryBudget(5 * COST, 3 * COST);

	@AutoClose
	private final StateStoreServer server;

	WatchMemoryTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(directory);
	}

	@Test
	void refusesClientAboveItsShare() {
		RecordingConnection client = client("a");
		assertThat(watch(client, "k1")).isEqualTo(OK);
		assertThat(watch(client, "k2")).isEqualTo(OK);
		assertThat(watch(client, "k3")).isEqualTo(OK);
		assertThat(watch(client, "k4")).isEqualTo(EXCEEDED);
		assertThat(watch(client, "k2")).isEqualTo(OK);
		assertThat(this.budget.refused(MemoryUse.OBSERVATION)).isEqualTo(1);
	}

	@Test
	void refusesClientsThatTogetherExceedBudget() {
		RecordingConnection first = client("a");
		RecordingConnection second = client("b");
		for (int i = 0; i < 3; i++) {
			watch(first, "k" + i);
		}
		assertThat(watch(second, "k0")).isEqualTo(OK);
		assertThat(watch(second, "k1")).isEqualTo(OK);
		assertThat(watch(second, "k2")).isEqualTo(EXCEEDED);
		this.server.disconnected(first);
		first.memory().close();
		assertThat(watch(second, "k2")).isEqualTo(OK);
	}

	@Test
	void releasesMemoryWhenWatchEnds() {
		RecordingConnection client = client("a");
		watch(client, "k1");
		assertThat(client.call(new Command.KeyNotifyStop(Bytes.of("k1"))).reply()).isEqualTo(OK);
		assertThat(this.budget.used()).isZero();
		assertThat(client.call(new Command.KeyNotifyStop(Bytes.of("k1"))).reply()).isEqualTo(new Reply.Count(0));
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void chargesPatterns() {
		RecordingConnection client = client("a");
		Command watch = new Command.PatternNotify(Bytes.of("k*"));
		assertThat(client.call(watch).reply()).isEqualTo(OK);
		long used = this.budget.used();
		assertThat(used).isEqualTo(Watches.patternCost(Bytes.of("k*")));
		assertThat(client.call(watch).reply()).isEqualTo(new Reply.Count(0));
		assertThat(this.budget.used()).isEqualTo(used);
		assertThat(client.call(new Command.PatternNotify(Bytes.of("l*lllllll"))).reply()).isEqualTo(EXCEEDED);
		assertThat(client.call(new Command.PatternNotifyStop(Bytes.of("k*"))).reply()).isEqualTo(OK);
		assertThat(this.budget.used()).isZero();
	}

	private RecordingConnection client(String clientId) {
		RecordingConnection connection = new RecordingConnection(this.server, clientId, this.budget.open());
		this.server.connected(connection);
		return connection;
	}

	private static Reply watch(RecordingConnection client, String key) {
		return client.call(new Command.KeyNotify(Bytes.of(key))).reply();
	}

}
