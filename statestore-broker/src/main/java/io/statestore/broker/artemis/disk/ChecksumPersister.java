package io.statestore.broker.artemis.disk;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.persistence.CoreMessageObjectPools;
import org.apache.activemq.artemis.core.persistence.Persister;
import org.jspecify.annotations.Nullable;

/**
 * Encodes records with a checksum at their end. Artemis accepts a record whose beginning
 * and end are on the disk, even if a power failure has left a hole between them.
 *
 * @param <T> type of the records
 */
final class ChecksumPersister<T> implements Persister<T> {

	private final Persister<T> persister;

	/**
	 * Creates a persister.
	 * @param persister encodes the records
	 */
	ChecksumPersister(Persister<T> persister) {
		this.persister = persister;
	}

	@Override
	public byte getID() {
		return this.persister.getID();
	}

	@Override
	public int getEncodeSize(T entry) {
		return this.persister.getEncodeSize(entry) + Integer.BYTES;
	}

	@Override
	public void encode(ActiveMQBuffer buffer, T entry) {
		int start = buffer.writerIndex();
		this.persister.encode(buffer, entry);
		buffer.writeInt(checksum(buffer.toByteBuffer(start, buffer.writerIndex() - start)));
	}

	/** Not used, because the journal returns records without their checksums. */
	@Override
	public T decode(ActiveMQBuffer buffer, @Nullable T entry, CoreMessageObjectPools pools) {
		return this.persister.decode(buffer, entry, pools);
	}

	private static int checksum(ByteBuffer bytes) {
		CRC32C checksum = new CRC32C();
		checksum.update(bytes);
		return (int) checksum.getValue();
	}

	/**
	 * Returns a record without its checksum.
	 * @param stored the record with its checksum
	 * @return the record, or {@code null} if it is damaged
	 */
	static @Nullable RecordInfo verified(RecordInfo stored) {
		int length = stored.data.length - Integer.BYTES;
		if (length < 0
				|| ByteBuffer.wrap(stored.data).getInt(length) != checksum(ByteBuffer.wrap(stored.data, 0, length))) {
			return null;
		}
		return new RecordInfo(stored.id, stored.userRecordType, Arrays.copyOf(stored.data, length), stored.isUpdate,
				stored.replaceableUpdate, stored.compactCount);
	}

}
