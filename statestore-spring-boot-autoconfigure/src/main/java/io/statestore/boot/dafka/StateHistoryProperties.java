package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.time.Duration;

import io.statestore.dafka.store.Fsync;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the history of the state store. */
@ConfigurationProperties("statestore.history")
public class StateHistoryProperties {

	/**
	 * Whether the embedded broker keeps a history, or without one, whether to read that
	 * of a broker elsewhere.
	 */
	private boolean enabled;

	/**
	 * Dafka topic of the history.
	 */
	private String topic = "statestore-history";

	/**
	 * Where the embedded broker keeps the history; made if it is not there.
	 */
	private @Nullable Path directory;

	/**
	 * When to wait for the disk before a change is confirmed: never or batch.
	 */
	private Fsync fsync = Fsync.NEVER;

	/**
	 * How long changes are kept at least; for ever by default.
	 */
	private @Nullable Duration retentionTime;

	/**
	 * How much is kept at most; no limit by default.
	 */
	private @Nullable DataSize retentionSize;

	/**
	 * Port on which others reach the history of the embedded broker, 0 for a free one.
	 */
	private int bindPort;

	/**
	 * Which history to read where the topic has those of several brokers.
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

	public @Nullable Path getDirectory() {
		return this.directory;
	}

	public void setDirectory(@Nullable Path directory) {
		this.directory = directory;
	}

	public Fsync getFsync() {
		return this.fsync;
	}

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
