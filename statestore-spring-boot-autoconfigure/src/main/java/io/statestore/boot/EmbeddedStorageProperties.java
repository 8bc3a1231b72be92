package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the directory of the embedded broker. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param dataDirectory Directory where the embedded store keeps its data. Created if it
 * does not exist. By default all data is in memory, and is lost when the application
 * ends.
 * @param fsync Time at which writes of the embedded store are forced to disk: 'always'
 * before they are confirmed, at each 'interval', or 'never'. Requires a data directory.
 * @param fsyncInterval Interval at which writes are forced to disk with fsync=interval,
 * 1ms to 1h.
 * @param persist Keys that survive a restart: 'all', or those 'requested' as persistent
 * by the client that set them. Requires a data directory.
 * @param history History of all changes
 */
@ConfigurationProperties("statestore.embedded")
public record EmbeddedStorageProperties(@Nullable String dataDirectory, @Nullable Fsync fsync,
		@Nullable Duration fsyncInterval, @Nullable Persist persist, @DefaultValue History history) {

	/**
	 * History of all changes.
	 *
	 * @param retention Time for which the embedded store keeps its changes at least,
	 * unless they reach the maximum size. Requires a data directory. By default no
	 * history is kept, or with a maximum size all changes.
	 * @param size Maximum size of the changes that the embedded store keeps. Requires a
	 * directory. By default no history is kept, or with a retention any size.
	 */
	public record History(@Nullable Duration retention, @Nullable DataSize size) {

	}

}
