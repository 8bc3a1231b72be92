package io.statestore.broker.server;

import java.util.function.Consumer;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/**
 * Opens the store of one node: an empty one in memory, or one recovered from its
 * directory.
 *
 * @param serial the serial executor
 * @param onError receives an error, after which the store must not be used
 */
record LocalStore(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
		Consumer<Error> onError) implements OpenedStore.Opener {

	@Override
	public OpenedStore open(ChangeListener listener, @Nullable ChangeFeed feed, Runnable batchFinished) {
		StoreStart start = new StoreStart(this.options, feed);
		StorageOptions storage = this.options.storage();
		if (storage != null) {
			return recover(storage, start, listener, feed, batchFinished);
		}
		StateMachine machine = start.inMemory(listener);
		return new OpenedStore(machine, new MemoryCommandLog(new EntryApplier(machine)), machine.logTime(),
				start.hasGap(), () -> {
				});
	}

	private OpenedStore recover(StorageOptions storage, StoreStart start, ChangeListener listener,
			@Nullable ChangeFeed feed, Runnable batchFinished) {
		Recovery recovery = start.recover(storage, this.tuning, listener);
		try {
			CommandLog log = new FileCommandLog(storage, recovery, this.serial, this.tuning, feed, batchFinished,
					this.onError);
			StateMachine machine = recovery.machine();
			return new OpenedStore(machine, log, machine.logTime(), start.hasGap(), recovery.log()::close);
		}
		catch (RuntimeException | Error ex) {
			recovery.log().close();
			throw ex;
		}
	}

}
