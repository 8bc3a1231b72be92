package io.statestore.client.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ObservedLockStoreTests {

	@Test
	void observesOnThreadThatReceivesChanges() {
		RecordingObserver observer = new RecordingObserver();
		StateStoreTemplate template = new StateStoreTemplate((command, options) -> new CompletableFuture<>(), null,
				observer);
		new ObservedLockStore(Key.of("lock"), template).watch((state) -> {
		}, (change) -> {
		});
		assertThat(observer.settings).hasSize(1).allMatch(KeyObserver.Settings::direct);
	}

	private static final class RecordingObserver implements KeyObserver {

		final List<Settings> settings = new ArrayList<>();

		@Override
		public KeyObservation observe(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
			this.settings.add(settings);
			throw new IllegalStateException("no observation");
		}

		@Override
		public CommandInvoker tracking(CommandInvoker invoker) {
			return invoker;
		}

	}

}
