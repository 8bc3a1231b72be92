package io.statestore.broker.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.storage.StorageOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens one node's store: an empty store in memory, or a store recovered from its
 * directory.
 *
 * @param serial the serial executor
 * @param onError receives an error, after which the store must not be used
 */
record LocalStore(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
		Consumer<Error> onError) {

	private static final Logger logger = LoggerFactory.getLogger(LocalStore.class);

	/**
	 * Opens the store.
	 * @param listener receives all changes
	 * @param batchFinished called after the entries of a batch
	 */
	OpenedStore open(ChangeListener listener, Runnable batchFinished) {
		StorageOptions storage = this.options.storage();
		if (storage != null) {
			return recover(storage, listener, batchFinished);
		}
		StateMachine machine = new StateMachine(listener);
		machine.apply(StoreStart.entry(this.options, 0, this.options.wallClock().getAsLong(), null, true, 0));
		return new OpenedStore(machine, new CommandLog(machine, null, this.tuning.maxHeld(), batchFinished),
				machine.logTime(), null, () -> {
				});
	}

	private OpenedStore recover(StorageOptions storage, ChangeListener listener, Runnable batchFinished) {
		FileLog files = this.tuning.logs()
			.apply(storage.directory(),
					new LogOptions(storage.fsync(), storage.fsyncInterval(), this.tuning.segmentBytes())
						.history(storage.history()));
		try {
			Recovery recovery = new Recovery(storage.directory(), files, listener);
			recovery.start(StoreStart.entry(this.options, recovery, storage));
			LogSink sink = new FileSink(storage.directory(), recovery, this.serial, this.tuning, this.onError);
			StateMachine machine = recovery.machine();
			CommandLog log = new CommandLog(machine, sink, this.tuning.maxHeld(), batchFinished);
			retireEarlierSessions(storage.directory());
			return new OpenedStore(machine, log, machine.logTime(), recovery.history(), files::close);
		}
		catch (RuntimeException | Error ex) {
			files.close();
			throw ex;
		}
	}

	/**
	 * Renames the folder in which earlier versions kept MQTT sessions and messages. If
	 * such a version found it again, it would continue long-outdated sessions.
	 */
	private void retireEarlierSessions(Path directory) {
		Path folder = directory.resolve("mqtt");
		if (!Files.isDirectory(folder)) {
			return;
		}
		Path renamed = directory.resolve("mqtt-unused-" + this.options.wallClock().getAsLong());
		try {
			Files.move(folder, renamed);
			logger.warn("An earlier version kept MQTT sessions in {}, which this version does not read. Sessions, "
					+ "subscriptions, queued messages, and retained messages are lost; keys, locks, and replies are "
					+ "kept. Clients must subscribe again and publish retained messages again. Delete {} when you no "
					+ "longer need it", folder, renamed);
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					"Cannot rename " + folder + ", which this version does not use: " + ex + ". Rename or delete it",
					ex);
		}
	}

}
