package io.statestore.broker.log;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.jspecify.annotations.Nullable;

/**
 * Copies a store into one ZIP file. Another process may serve the directory meanwhile.
 * All files are opened first, so that the process may delete them during the copy. The
 * copy starts over if a file is missing before, or a batch in it was rejected.
 */
final class Backup {

	private static final int TRIES = 10;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/** Time after which a process has cut off a batch whose force has failed. */
	private static final long REJECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int BUFFER_BYTES = 256 << 10;

	private final Disk disk;

	private final StoreLayout layout;

	private final BackupFile file;

	Backup(Disk disk, Path directory, Path file) {
		this.disk = disk;
		this.layout = new StoreLayout(directory);
		this.file = new BackupFile(file);
	}

	BackupReport run() throws IOException {
		DirectoryCheck.requireStore(this.disk, this.layout);
		return this.file.create(this::copyRepeatedly);
	}

	private BackupReport copyRepeatedly(Path temporary) throws IOException {
		for (int tries = 1;; tries++) {
			try {
				return copy(temporary);
			}
			catch (ChangedException | NoSuchFileException | DamagedLogException ex) {
				// A record that is being written looks like damage if another one
				// follows.
				if (tries == TRIES) {
					DirectoryCheck.requireIdentity(this.disk, this.layout, this.layout.store());
					throw (ex instanceof DamagedLogException damaged) ? damaged
							: new StoreDirectoryException(
									"Directory " + this.layout.directory()
											+ " changes too fast to copy it. Try again while the store has less load",
									ex);
				}
				LockSupport.parkNanos(PAUSE_NANOS);
			}
		}
	}

	private BackupReport copy(Path temporary) throws IOException {
		StoreIdentity identity = StoreIdentity.read(this.disk, this.layout);
		ForcedEnd forced = ForcedEnd.read(this.disk, this.layout, identity);
		try (OpenFiles files = new OpenFiles(this.disk)) {
			Path snapshot = Snapshots.newest(this.disk, this.layout);
			if (snapshot != null) {
				files.open(snapshot);
			}
			for (Path segment : LogReader.segments(this.disk, this.layout)) {
				files.open(segment);
			}
			files.open(this.layout.store());
			return copy(temporary, identity, forced, files, snapshot);
		}
	}

	private BackupReport copy(Path temporary, StoreIdentity identity, ForcedEnd forced, OpenFiles files,
			@Nullable Path snapshot) throws IOException {
		long snapshotIndex = (snapshot != null) ? StoreLayout.index(snapshot) : 0;
		LogEnd end = new LogReader(files, this.layout, identity, snapshotIndex, forced).read((firstIndex, entries) -> {
		}, (bytesDone, bytesTotal) -> {
		});
		try (OutputStream output = new BufferedOutputStream(Files.newOutputStream(temporary), BUFFER_BYTES);
				ZipOutputStream zip = new ZipOutputStream(output)) {
			zip.setLevel(Deflater.BEST_SPEED);
			copy(files, zip, StoreLayout.STORE, this.layout.store(), Long.MAX_VALUE);
			if (snapshot != null) {
				copy(files, zip, StoreLayout.SNAPSHOT + '/' + snapshot.getFileName(), snapshot, Long.MAX_VALUE);
			}
			for (Path segment : end.segments()) {
				boolean last = segment.equals(end.file());
				long checksum = copy(files, zip, StoreLayout.LOG + '/' + segment.getFileName(), segment,
						last ? end.position() : Long.MAX_VALUE);
				if (last && checksum != end.checksum()) {
					throw new ChangedException(null);
				}
			}
			requireUnchanged(files, identity, end);
			BackupFile.writeManifest(zip, identity, end.lastIndex());
		}
		return this.file.force(temporary, identity, end.lastIndex());
	}

	/** Copies the first bytes of a file and returns their checksum. */
	private long copy(FileSource files, ZipOutputStream zip, String name, Path path, long limit) throws IOException {
		zip.putNextEntry(new ZipEntry(name));
		long checksum = read(files, path, limit, (bytes, count) -> zip.write(bytes, 0, count));
		zip.closeEntry();
		return checksum;
	}

	private long read(FileSource files, Path path, long limit, Target target) throws IOException {
		CRC32C checksum = new CRC32C();
		ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
		try (DiskFile source = files.read(path)) {
			for (long position = 0; position < limit; position += buffer.position()) {
				buffer.clear().limit((int) Math.min(BUFFER_BYTES, limit - position));
				if (source.read(buffer, position) == 0) {
					break;
				}
				checksum.update(buffer.array(), 0, buffer.position());
				target.write(buffer.array(), buffer.position());
			}
		}
		return checksum.getValue();
	}

	/**
	 * Verifies that no batch in the copy was rejected. Forces the segment, to wait for a
	 * force in progress. If that force fails, a later segment cuts the batch off, or
	 * replaces the segment, shortly afterwards.
	 */
	private void requireUnchanged(OpenFiles files, StoreIdentity identity, LogEnd end) throws IOException {
		try (DiskFile segment = files.read(end.file())) {
			segment.force();
		}
		catch (IOException ex) {
			throw new ChangedException(ex);
		}
		if (!isContinued(files, identity, end)) {
			verify(identity, end);
			LockSupport.parkNanos(REJECTION_NANOS);
			if (!isContinued(files, identity, end)) {
				verify(identity, end);
			}
		}
	}

	/** Returns whether a later record proves that the last batch was not rejected. */
	private static boolean isContinued(OpenFiles files, StoreIdentity identity, LogEnd end) throws IOException {
		try (SegmentReader segment = SegmentReader.open(files, end.file(), identity, SegmentReader.window())) {
			return segment.read(end.position(), end.lastIndex() + 1) != null;
		}
	}

	private void verify(StoreIdentity identity, LogEnd end) throws IOException {
		if (read(this.disk, end.file(), end.position(), (bytes, count) -> {
		}) != end.checksum()) {
			throw new ChangedException(null);
		}
		for (Path other : LogReader.segments(this.disk, this.layout)) {
			if (StoreLayout.index(other) > end.header().firstIndex()) {
				try (DiskFile file = this.disk.read(other)) {
					if (SegmentHeader.read(other, file, identity).previousEnd() < end.position()) {
						throw new ChangedException(null);
					}
				}
				return;
			}
		}
	}

	/** Receives bytes that were read. */
	@FunctionalInterface
	private interface Target {

		void write(byte[] bytes, int count) throws IOException;

	}

	/** Thrown when the log was cut off during the copy. */
	private static final class ChangedException extends IOException {

		private static final long serialVersionUID = 1L;

		ChangedException(@Nullable IOException cause) {
			super(cause);
		}

	}

}
