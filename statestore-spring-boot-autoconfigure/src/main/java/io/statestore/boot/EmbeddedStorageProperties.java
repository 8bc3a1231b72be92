package io.statestore.boot;

import java.time.Duration;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the directory of the embedded broker. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 */
@ConfigurationProperties("statestore.embedded")
public class EmbeddedStorageProperties {

	/**
	 * Directory where the embedded store keeps its data. Created if it does not exist. By
	 * default all data is in memory, and is lost when the application ends.
	 */
	// Not a Path, which Spring would search for on the class path first.
	private @Nullable String directory;

	/**
	 * Time at which writes of the embedded store are forced to disk: 'always' before they
	 * are confirmed, at each 'interval', or 'never'. Requires a directory.
	 */
	private @Nullable Fsync fsync;

	/**
	 * Interval at which writes are forced to disk with fsync=interval, 1ms to 1h.
	 */
	private @Nullable Duration fsyncInterval;

	/**
	 * Keys that survive a restart: 'all', or those 'requested' as persistent by the
	 * client that set them. Requires a directory.
	 */
	private @Nullable Persist persist;

	public @Nullable String getDirectory() {
		return this.directory;
	}

	public void setDirectory(@Nullable String directory) {
		this.directory = directory;
	}

	public @Nullable Fsync getFsync() {
		return this.fsync;
	}

	public void setFsync(@Nullable Fsync fsync) {
		this.fsync = fsync;
	}

	public @Nullable Duration getFsyncInterval() {
		return this.fsyncInterval;
	}

	public void setFsyncInterval(@Nullable Duration fsyncInterval) {
		this.fsyncInterval = fsyncInterval;
	}

	public @Nullable Persist getPersist() {
		return this.persist;
	}

	public void setPersist(@Nullable Persist persist) {
		this.persist = persist;
	}

}
