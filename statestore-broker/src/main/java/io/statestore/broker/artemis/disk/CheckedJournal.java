package io.statestore.broker.artemis.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.io.SequentialFileFactory;
import org.apache.activemq.artemis.core.journal.IOCompletion;
import org.apache.activemq.artemis.core.journal.JournalLoadInformation;
import org.apache.activemq.artemis.core.journal.PreparedTransactionInfo;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.journal.TransactionFailureCallback;
import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.persistence.Persister;
import org.apache.activemq.artemis.utils.ExecutorFactory;
import org.apache.activemq.artemis.utils.collections.SparseArrayLinkedList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Journal whose records have checksums, and which is compacted only if the disk has space
 * for the copy. Artemis attempts the compaction again after each file.
 */
final class CheckedJournal extends JournalImpl {

	private static final Logger logger = LoggerFactory.getLogger(CheckedJournal.class);

	private final DiskState disk;

	/**
	 * Creates a journal.
	 * @param files its files
	 * @param fileSize size of each file in bytes
	 * @param prefix beginning of the names of the files
	 * @param extension end of the names of the files
	 * @param configuration configuration of Artemis
	 * @param executors executors of Artemis
	 * @param disk state of the disk
	 */
	CheckedJournal(SequentialFileFactory files, int fileSize, String prefix, String extension,
			Configuration configuration, ExecutorFactory executors, DiskState disk) {
		super(executors, fileSize, configuration.getJournalMinFiles(), configuration.getJournalPoolFiles(),
				configuration.getJournalCompactMinFiles(), configuration.getJournalCompactPercentage(),
				configuration.getJournalFileOpenTimeout(), files, prefix, extension, files.getMaxIO(), 0, disk,
				configuration.getJournalMaxAtticFiles());
		this.disk = disk;
	}

	@Override
	@SuppressWarnings({ "rawtypes", "unchecked" })
	public void appendAddRecord(long id, byte type, Persister persister, Object entry, boolean sync,
			@Nullable IOCompletion completion) throws Exception {
		super.appendAddRecord(id, type, new ChecksumPersister<>(persister), entry, sync, completion);
	}

	@Override
	@SuppressWarnings({ "rawtypes", "unchecked" })
	public void appendAddRecordTransactional(long transaction, long id, byte type, Persister persister, Object entry)
			throws Exception {
		super.appendAddRecordTransactional(transaction, id, type, new ChecksumPersister<>(persister), entry);
	}

	/** Removes records with a hole. They were not acknowledged if writes are forced. */
	@Override
	public synchronized JournalLoadInformation load(SparseArrayLinkedList<RecordInfo> records,
			List<PreparedTransactionInfo> transactions, @Nullable TransactionFailureCallback failures, boolean repairs)
			throws Exception {
		JournalLoadInformation loaded = super.load(records, transactions, failures, repairs);
		List<RecordInfo> complete = new ArrayList<>();
		List<Long> damaged = new ArrayList<>();
		records.clear((stored) -> {
			RecordInfo verified = stored.isUpdate ? stored : ChecksumPersister.verified(stored);
			if (verified != null) {
				complete.add(verified);
			}
			else {
				damaged.add(stored.id);
			}
		});
		complete.forEach(records::add);
		for (long id : damaged) {
			logger.warn("Removed a record of {}: it was not written completely before the latest stop, or is damaged",
					getFileFactory().getDirectory());
			tryAppendDeleteRecord(id, false, null, null);
		}
		return loaded;
	}

	@Override
	public synchronized void compact() {
		long live = Arrays.stream(getDataFiles()).mapToLong(JournalFile::getLiveSize).sum();
		if (this.disk.hasSpace(live)) {
			super.compact();
		}
		else {
			logger.debug("The journal is not compacted, because the disk has no space for {} bytes", live);
		}
	}

}
