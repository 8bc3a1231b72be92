package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalWriteTrackerTests extends KeyWatchesFixture {

	@Test
	void deliversHeldChangesBeforeWriteContinuations() {
		this.store.connect();
		this.watches.watch(KEY, new Settings("test", false, true, Set.of(Operation.values()), null),
				this.delivered::add);
		this.time.pass(1000);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		CompletableFuture<Response> write = this.watches.tracking((command, options) -> reply)
			.invoke(new Command.Set(KEY.bytes(), Bytes.of("own")), Options.DEFAULT);
		this.store.set(KEY.bytes(), Bytes.of("foreign"));
		this.time.pass(1000);
		assertThat(this.delivered).isEmpty();
		List<KeyChange<Bytes>> found = new ArrayList<>();
		// A continuation may wait for the held changes.
		write.thenRun(() -> found.addAll(this.delivered));
		reply.complete(new Response(new Reply.Ok(), new Version(1, 0, "StateStore")));
		assertThat(found).extracting(KeyChange::value).containsExactly(Bytes.of("foreign"));
	}

	@Test
	void cancelsReplyWithTrackedWrite() {
		this.store.connect();
		this.watches.watch(KEY, new Settings("test", false, true, Set.of(Operation.values()), null),
				this.delivered::add);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.watches.tracking((command, options) -> reply)
			.invoke(new Command.Set(KEY.bytes(), Bytes.of("own")), Options.DEFAULT)
			.cancel(true);
		assertThat(reply).isCancelled();
	}

}
