package io.statestore.boot.history;

import java.time.Duration;

import io.statestore.dafka.store.Fsync;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.DeprecatedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/** Properties of the history of the state store. */
@ConfigurationProperties("statestore.history")
public class StateHistoryProperties {

	/**
	 * Whether to record a history of the embedded broker or, without an embedded broker,
	 * to read the history of another broker.
	 */
	private boolean enabled;

	/**
	 * Dafka topic of the history.
	 */
	private String topic = "statestore-history";

	/**
	 * Directory where the embedded broker keeps the history. Created if it does not
	 * exist. Required if the history is enabled.
	 */
	// Not a Path, see DirectoryProperties
	private @Nullable String directory;

	/**
	 * Deprecated: only 'never' is supported. To keep changes in a power failure, set
	 * 'statestore.embedded.directory'.
	 */
	private Fsync fsync = Fsync.NEVER;

	/**
	 * Minimum time that changes are kept. Unlimited by default.
	 */
	private @Nullable Duration retentionTime;

	/**
	 * Maximum size of the history. The oldest changes are removed first. Unlimited by
	 * default.
	 */
	private @Nullable DataSize retentionSize;

	/**
	 * Port on which other applications read the history of the embedded broker, 0 for a
	 * free one.
	 */
	private int bindPort;

	/**
	 * Partition to read. Required if the topic contains the histories of several brokers.
	 */
	private @Nullable String partition;

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public String getTopic() {
		return this.topic;
	}

	public void setTopic(String topic) {
		this.topic = topic;
	}

	public @Nullable String getDirectory() {
		return this.directory;
	}

	public void setDirectory(@Nullable String directory) {
		this.directory = directory;
	}

	@DeprecatedConfigurationProperty(reason = "Replies no longer wait for the history. A store with a directory"
			+ " completes its history after a failure.", replacement = "statestore.embedded.directory")
	@Deprecated
	public Fsync getFsync() {
		return this.fsync;
	}

	@Deprecated
	public void setFsync(Fsync fsync) {
		this.fsync = fsync;
	}

	public @Nullable Duration getRetentionTime() {
		return this.retentionTime;
	}

	public void setRetentionTime(@Nullable Duration retentionTime) {
		this.retentionTime = retentionTime;
	}

	public @Nullable DataSize getRetentionSize() {
		return this.retentionSize;
	}

	public void setRetentionSize(@Nullable DataSize retentionSize) {
		this.retentionSize = retentionSize;
	}

	public int getBindPort() {
		return this.bindPort;
	}

	public void setBindPort(int bindPort) {
		this.bindPort = bindPort;
	}

	public @Nullable String getPartition() {
		return this.partition;
	}

	public void setPartition(@Nullable String partition) {
		this.partition = partition;
	}

}
