package io.statestore.client.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WatchedLockStoreTests {

	@Test
	void watchesOnThreadThatReceivesChanges() {
		RecordingWatcher watcher = new RecordingWatcher();
		StateStoreTemplate template = new StateStoreTemplate((command, options) -> new CompletableFuture<>(), null,
				watcher);
		new WatchedLockStore(Key.of("lock"), template).watch(new IdleWatcher());
		assertThat(watcher.settings).hasSize(1).allMatch(KeyWatcher.Settings::direct);
	}

	private static final class IdleWatcher implements LockStore.Watcher {

		@Override
		public void started() {
		}

		@Override
		public void changed(KeyChange<Bytes> change) {
		}

	}

	private static final class RecordingWatcher implements KeyWatcher {

		final List<Settings> settings = new ArrayList<>();

		@Override
		public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
			this.settings.add(settings);
			throw new IllegalStateException("no watch");
		}

		@Override
		public CommandInvoker tracking(CommandInvoker invoker) {
			return invoker;
		}

	}

}
