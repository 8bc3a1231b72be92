package io.statestore.broker.server;

import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The memory of replies, shared by all clients. */
class ReplyMemoryTests {

	private static final Bytes VALUE = Bytes.of("v");

	private static final Command ONCE = new Command.Set(Bytes.of("once"), VALUE, Condition.IF_ABSENT, null);

	private static final Command OFTEN = new Command.Set(Bytes.of("often"), VALUE, Condition.ALWAYS, null);

	@AutoClose
	private final StateStoreServer server = new StateStoreServer(
			StateStoreServerOptions.defaults().withNanoClock(() -> 0).withReplyMemory(4 << 20));

	@Test
	@Timeout(120)
	void busyClientDoesNotEvictRepliesToOtherClient() {
		RecordingConnection quiet = RecordingConnection.to(this.server, "quiet");
		Received first = RecordingConnection.received(quiet.exchange(quiet.draft(ONCE).correlation("c")));
		RecordingConnection busy = RecordingConnection.to(this.server, "busy");
		for (int i = 0; i < 125_000; i++) {
			busy.call(OFTEN);
		}
		assertThat(this.server.statistics().evictedReplies()).isPositive();
		Received repeated = RecordingConnection.received(quiet.exchange(quiet.draft(ONCE).correlation("c")));
		assertThat(repeated.reply()).isEqualTo(new Reply.Ok());
		assertThat(repeated.version()).isEqualTo(first.version());
		assertThat(this.server.statistics().repeatedRequests()).isEqualTo(1);
	}

}
