package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.log.BackupFile;
import io.statestore.broker.security.AuditEvent;
import io.statestore.broker.security.AuditLog;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Backups of a running store: snapshots that clients request page by page, one backup at
 * a time. Used only within the serial executor.
 */
final class Backups {

	/** How long a backup waits for the request for its next page. */
	static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	/** Approximate size of a page, in bytes. Requests wait while a page is encoded. */
	private static final int PAGE_BYTES = 128 << 10;

	/** Maximum size of a page, in bytes. A larger entry continues on the next page. */
	private static final int MAX_PAGE_BYTES = 2 * PAGE_BYTES;

	private final AuditLog audit = new AuditLog();

	private final StateMachine machine;

	private final LongSupplier nanoClock;

	private final LongSupplier wallClock;

	private final long maxKept;

	private @Nullable Backup current;

	/** Number of backups that have begun. */
	private long count;

	/** Why the latest backup ended. */
	private String reason = "the server was restarted";

	/**
	 * Creates an object without a backup.
	 * @param maxKept maximum memory for keys that change before they are sent, in bytes
	 */
	Backups(StateMachine machine, StateStoreServerOptions options, long maxKept) {
		this.machine = machine;
		this.nanoClock = options.nanoClock();
		this.wallClock = options.wallClock();
		this.maxKept = maxKept;
	}

	/**
	 * Returns the answer to a request. A client's first request begins a backup, which
	 * contains everything applied before.
	 */
	byte[] page(ClientConnection connection, BackupQuery query) {
		String token = query.token();
		if (token == null) {
			String obstacle = obstacle(connection);
			if (obstacle != null) {
				return Administration.encodeFailure(Administration.NOT_YET + obstacle);
			}
			begin(connection);
		}
		Backup backup = this.current;
		if (backup == null || (token != null && !backup.isContinuedBy(connection, token))) {
			return Administration.encodeFailure("the backup has ended, because " + this.reason + ". Repeat it");
		}
		AdministrationPage<Bytes> page = backup.next(this.nanoClock.getAsLong());
		if (page.token() == null) {
			end("it is complete");
		}
		return Administration.encode(page);
	}

	/** Returns why a backup cannot begin now, {@code null} if it can. */
	private @Nullable String obstacle(ClientConnection connection) {
		limit();
		if (this.current != null && this.current.connection == connection) {
			end("another one has begun");
		}
		if (this.current != null) {
			return "another client reads a backup";
		}
		return this.machine.hasSnapshot() ? "the server writes a snapshot" : null;
	}

	private void begin(ClientConnection connection) {
		this.audit.line(AuditEvent.BACKUP, connection.principal())
			.text("client", connection.clientId())
			.address(connection.address())
			.log();
		this.count++;
		this.current = new Backup(connection, Long.toString(this.count), this.machine.beginSnapshot(),
				BackupFile.header(Instant.ofEpochMilli(this.wallClock.getAsLong())));
	}

	/**
	 * Ends a backup that holds too much memory or that its client does not continue.
	 * Called after each batch.
	 */
	void limit() {
		Backup backup = this.current;
		if (backup == null) {
			return;
		}
		if (backup.snapshot.keptBytes() > this.maxKept) {
			end("keys change faster than the backup is read. Use a faster connection, or a time with less load");
		}
		else if (this.nanoClock.getAsLong() - backup.latest > MAX_PAUSE.toNanos()) {
			end("no page was requested for " + MAX_PAUSE.toSeconds() + " s");
		}
	}

	/** Ends a client's backup if it is reading one. */
	void disconnected(ClientConnection connection) {
		if (this.current != null && this.current.connection == connection) {
			end("its connection was closed");
		}
	}

	/** Ends the backup that is being read, if any. */
	void end(String reason) {
		if (this.current != null) {
			this.current.snapshot.close();
			this.current = null;
			this.reason = reason;
		}
	}

	/** A backup that is being read. */
	private static final class Backup {

		private final ClientConnection connection;

		private final String id;

		private final StateSnapshot snapshot;

		private final MessageDigest digest = BackupFile.digest();

		/**
		 * Encoded bytes that have not been sent yet, {@code null} once everything has
		 * been sent.
		 */
		private @Nullable ByteBuffer rest;

		private long pages;

		/** Time of the latest request. */
		private long latest;

		Backup(ClientConnection connection, String id, StateSnapshot snapshot, ByteBuffer header) {
			this.connection = connection;
			this.id = id;
			this.snapshot = snapshot;
			this.rest = header;
		}

		boolean isContinuedBy(ClientConnection connection, String token) {
			return connection == this.connection && token.equals(token());
		}

		private String token() {
			return this.id + ':' + this.pages;
		}

		AdministrationPage<Bytes> next(long now) {
			this.latest = now;
			this.pages++;
			if (this.rest != null && !this.rest.hasRemaining()) {
				this.rest = this.snapshot.next(PAGE_BYTES);
			}
			if (this.rest == null) {
				return new AdministrationPage<>(List.of(Bytes.wrap(this.digest.digest())), null);
			}
			byte[] data = new byte[Math.min(this.rest.remaining(), MAX_PAGE_BYTES)];
			this.rest.get(data);
			this.digest.update(data);
			return new AdministrationPage<>(List.of(Bytes.wrap(data)), token());
		}

	}

}
