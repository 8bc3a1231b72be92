package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates segments. Keeps a file in reserve, so that after a failure the log can continue
 * in a new segment even while the disk is full. Not thread-safe.
 */
final class SegmentFactory implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(SegmentFactory.class);

	private static final int RESERVE_BYTES = 64 << 10;

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
		try {
			return publish(temporary, this.disk.create(temporary), header, path, bytes);
		}
		catch (IOException | DiskFullException ex) {
			deleteQuietly(temporary, ex);
			throw ex;
		}
	}

	/** Like {@link #create}, but uses the space in reserve if there is any. */
	Segment createFromReserve(SegmentHeader header) throws IOException {
		Path reserve = this.layout.reserve();
		if (this.disk.exists(reserve)) {
			try {
				return publish(reserve, this.disk.open(reserve), header, this.layout.segment(header.firstIndex()), 0);
			}
			catch (IOException ex) {
				logger.debug("Cannot use the space in reserve", ex);
				deleteQuietly(reserve, ex);
			}
		}
		return create(header);
	}

	private Segment publish(Path source, DiskFile file, SegmentHeader header, Path path, int bytes) throws IOException {
		try {
			file.write(header.encode(), 0);
			Segment segment = new Segment(path, header, file, SegmentHeader.BYTES);
			segment.allocate(bytes, bytes);
			file.force();
			this.disk.rename(source, path);
			return segment;
		}
		catch (IOException | DiskFullException ex) {
			file.close();
			throw ex;
		}
	}

	void forceNames() throws IOException {
		this.directory.force();
	}

	/** Creates the reserve unless it exists. Continues without it if the disk is full. */
	void reserve() {
		Path reserve = this.layout.reserve();
		Path temporary = StoreLayout.temporary(reserve);
		if (this.disk.exists(reserve)) {
			return;
		}
		try {
			this.disk.delete(temporary);
			try (DiskFile file = this.disk.create(temporary)) {
				file.write(ByteBuffer.allocate(RESERVE_BYTES), 0);
				file.force();
			}
			this.disk.rename(temporary, reserve);
			forceNames();
		}
		catch (IOException ex) {
			logger.debug("Cannot reserve space for failures", ex);
			deleteQuietly(temporary, ex);
		}
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

	private void deleteQuietly(Path file, Exception reason) {
		try {
			this.disk.delete(file);
		}
		catch (IOException ex) {
			reason.addSuppressed(ex);
		}
	}

}
