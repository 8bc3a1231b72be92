package io.statestore.broker.log;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a snapshot of another component as the backup of a store. The store gets an
 * identity of its own, and its log has no entry behind the snapshot.
 */
final class SnapshotBackup {

	private final SnapshotInput snapshot;

	private final BackupFile file;

	SnapshotBackup(SnapshotInput snapshot, Path file) {
		this.snapshot = snapshot;
		this.file = new BackupFile(file);
	}

	BackupReport run() throws IOException {
		return this.file.create(this::write);
	}

	private BackupReport write(Path temporary) throws IOException {
		StoreIdentity identity = StoreIdentity.create(Instant.now());
		long index = this.snapshot.index();
		try (OutputStream output = new BufferedOutputStream(Files.newOutputStream(temporary));
				ZipOutputStream zip = new ZipOutputStream(output)) {
			zip.setLevel(Deflater.BEST_SPEED);
			write(zip, StoreLayout.STORE, (file) -> file.write(identity.encode(), 0));
			write(zip, StoreLayout.SNAPSHOT + '/' + SnapshotFile.name(index), (file) -> copy(identity, file));
			SegmentHeader segment = new SegmentHeader(identity.id(), index + 1, 0, 0, index);
			write(zip, StoreLayout.LOG + '/' + StoreLayout.segmentName(index + 1),
					(file) -> file.write(segment.encode(), 0));
			BackupFile.writeManifest(zip, identity, index);
		}
		return this.file.force(temporary, identity, index);
	}

	private static void write(ZipOutputStream zip, String name, Content content) throws IOException {
		zip.putNextEntry(new ZipEntry(name));
		content.write(new PackedFile(Channels.newChannel(zip)));
		zip.closeEntry();
	}

	private void copy(StoreIdentity identity, DiskFile file) throws IOException {
		SnapshotHeader header = new SnapshotHeader(identity.id(), this.snapshot.index(), this.snapshot.time());
		try (SnapshotOutput output = new SnapshotOutput(header, file, new Unpublished())) {
			this.snapshot.transferTo(output);
			output.finish();
		}
	}

	@FunctionalInterface
	private interface Content {

		void write(DiskFile file) throws IOException;

	}

	/** A file within a ZIP file, which is written from its start to its end. */
	private record PackedFile(WritableByteChannel channel) implements DiskFile {

		@Override
		public void write(ByteBuffer bytes, long position) throws IOException {
			while (bytes.hasRemaining()) {
				this.channel.write(bytes);
			}
		}

		@Override
		public void force() {
			// The ZIP file is forced when it is complete.
		}

		@Override
		public int read(ByteBuffer target, long position) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long size() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			// More files follow in the ZIP file.
		}

	}

	private record Unpublished() implements SnapshotOutput.Completion {

		@Override
		public void commit(SnapshotHeader header, long bytes) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close(SnapshotHeader header, DiskFile file) {
			// The file is part of another one.
		}

	}

}
