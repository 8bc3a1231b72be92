package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates segments. Keeps a file in reserve, so that after a failure the log can continue
 * in a new segment even while the disk is full. Not thread-safe.
 */
final class SegmentFactory implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(SegmentFactory.class);

	private final Disk disk;

	private final StoreLayout layout;

	/** Open from the start, because the process may lack descriptors later. */
	private final Disk.OpenDirectory directory;

	SegmentFactory(Disk disk, StoreLayout layout) throws IOException {
		this.disk = disk;
		this.layout = layout;
		this.directory = disk.openDirectory(layout.log());
	}

	/** Creates a segment. Its name is on the disk after {@link #forceNames()}. */
	Segment create(SegmentHeader header) throws IOException {
		return create(header, 0);
	}

	/**
	 * Creates a segment with space for records.
	 * @param bytes the space, in bytes
	 * @throws DiskFullException if there is less space on the disk
	 */
	Segment create(SegmentHeader header, int bytes) throws IOException {
		Path path = this.layout.segment(header.firstIndex());
		Path temporary = StoreLayout.temporary(path);
		this.disk.delete(temporary);
		DiskFile file = null;
		try {
			file = this.disk.create(temporary);
			file.write(header.encode(), 0);
			Segment segment = new Segment(path, header, file, SegmentHeader.BYTES);
			segment.allocate(bytes, bytes);
			file.force();
			this.disk.rename(temporary, path);
			return segment;
		}
		catch (IOException | DiskFullException ex) {
			discard(temporary, file, ex);
			throw ex;
		}
	}

	private void discard(Path temporary, @Nullable DiskFile file, Exception reason) {
		try {
			if (file != null) {
				file.close();
			}
			this.disk.delete(temporary);
		}
		catch (IOException ex) {
			reason.addSuppressed(ex);
		}
	}

	void forceNames() throws IOException {
		this.directory.force();
	}

	@Override
	public void close() {
		try {
			this.directory.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", this.layout.log(), ex);
		}
	}

}
