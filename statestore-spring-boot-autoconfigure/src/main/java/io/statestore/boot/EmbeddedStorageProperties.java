package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the directory of the embedded broker. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param directory Directory where the embedded store keeps its data. Created if it does
 * not exist. By default all data is in memory, and is lost when the application ends.
 * @param fsync Time at which writes of the embedded store are forced to disk: 'always'
 * before they are confirmed, at each 'interval', or 'never'. Requires a directory.
 * @param fsyncInterval Interval at which writes are forced to disk with fsync=interval,
 * 1ms to 1h.
 * @param persist Keys that survive a restart: 'all', or those 'requested' as persistent
 * by the client that set them. Requires a directory.
 */
@ConfigurationProperties("statestore.embedded")
public record EmbeddedStorageProperties(@Nullable String directory, @Nullable Fsync fsync,
		@Nullable Duration fsyncInterval, @Nullable Persist persist) {

}
