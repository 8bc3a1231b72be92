package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.Topics;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.apache.activemq.artemis.core.io.SequentialFile;
import org.apache.activemq.artemis.core.journal.JournalLoadInformation;
import org.apache.activemq.artemis.core.persistence.AddressBindingInfo;
import org.apache.activemq.artemis.core.persistence.GroupingInfo;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.persistence.QueueBindingInfo;
import org.apache.activemq.artemis.core.persistence.impl.journal.JournalRecordIds;
import org.apache.activemq.artemis.core.persistence.impl.journal.JournalStorageManager;
import org.apache.activemq.artemis.core.persistence.impl.journal.LargeServerMessageImpl;
import org.apache.activemq.artemis.core.persistence.impl.journal.codec.AddressStatusEncoding;
import org.apache.activemq.artemis.core.postoffice.Binding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.LargeServerMessage;
import org.apache.activemq.artemis.core.server.impl.AddressInfo;
import org.apache.activemq.artemis.utils.ExecutorFactory;
import org.apache.activemq.artemis.utils.critical.CriticalAnalyzer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Journal of Artemis that contains queues and messages, but no addresses. Artemis creates
 * an address for each topic on which a message is published, and would wait for the disk
 * twice for each topic that is used for a short time. The addresses of stored queues are
 * created again when the journal is loaded.
 */
final class QueueJournal extends JournalStorageManager {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(QueueJournal.class));

	/** Transactions that change queues. All others need not be written. */
	private final Set<Long> transactions = ConcurrentHashMap.newKeySet();

	/**
	 * Large messages that are in no queue, by the identifiers of their copies. Only until
	 * the copy is stored.
	 */
	private final Map<Long, LargeServerMessageImpl> originals = new ConcurrentHashMap<>();

	private final DiskState disk;

	QueueJournal(Configuration configuration, CriticalAnalyzer analyzer, ExecutorFactory executors,
			ScheduledExecutorService scheduled, ExecutorFactory ioExecutors, DiskState disk) {
		super(configuration, analyzer, executors, scheduled, ioExecutors, disk);
		this.disk = disk;
	}

	/**
	 * Replaces the files that Artemis has created. Called by a superclass constructor.
	 */
	@Override
	protected void init(Configuration configuration, IOCriticalErrorListener failures) {
		super.init(configuration, failures);
		// The constructor has passed it, but this object has no fields yet.
		DiskState disk = (DiskState) failures;
		this.bindingsFF = new JournalFiles(configuration.getBindingsLocation(), disk, configuration);
		this.bindingsJournal = new CheckedJournal(this.bindingsFF, MqttDirectory.BINDINGS_FILE_SIZE,
				"activemq-bindings", "bindings", configuration, this.ioExecutorFactory, disk);
		this.originalBindingsJournal = this.bindingsJournal;
		this.journalFF = new JournalFiles(configuration.getJournalLocation(), disk, configuration,
				getCriticalAnalyzer());
		this.messageJournal = new CheckedJournal(this.journalFF, configuration.getJournalFileSize(), "activemq-data",
				"amq", configuration, this.ioExecutorFactory, disk);
		this.messageJournal.replaceableRecord(JournalRecordIds.UPDATE_DELIVERY_COUNT);
		this.messageJournal.replaceableRecord(JournalRecordIds.SET_SCHEDULED_DELIVERY_TIME);
		this.originalMessageJournal = this.messageJournal;
		this.largeMessagesFactory = new LargeMessageFiles(configuration.getLargeMessagesLocation());
	}

	@Override
	public OperationContext newContext(Executor executor) {
		return new JournalContext(executor);
	}

	@Override
	public void addBytesToLargeMessage(SequentialFile file, long messageId, ActiveMQBuffer bytes) throws Exception {
		add(file, bytes.readableBytes(), () -> super.addBytesToLargeMessage(file, messageId, bytes));
	}

	@Override
	public void addBytesToLargeMessage(SequentialFile file, long messageId, byte[] bytes) throws Exception {
		add(file, bytes.length, () -> super.addBytesToLargeMessage(file, messageId, bytes));
	}

	/**
	 * Adds bytes to a large message. Removes its file after a failure, which Artemis
	 * would leave behind.
	 */
	private void add(SequentialFile file, int bytes, Action action) throws Exception {
		long size = file.size();
		try {
			action.run();
			if (file.size() != size + bytes || this.disk.isPreviouslyFailed()) {
				throw new IOException("Failed to write a message to " + file.getJavaFile());
			}
		}
		catch (IOException | RuntimeException ex) {
			file.delete();
			throw ex;
		}
	}

	/**
	 * Creates a large message. If it is to be a copy of one that is in no queue, the
	 * original is deleted when the copy is stored. Artemis creates such an original for
	 * each retained message, and leaves its file behind.
	 */
	@Override
	public LargeServerMessage createCoreLargeMessage(long id, Message message) throws Exception {
		LargeServerMessage created = super.createCoreLargeMessage(id, message);
		if (message instanceof LargeServerMessageImpl original && original.getRefCount() == 0
				&& original.getUsage() == 0) {
			// Before its file exists, whose name depends on it.
			created.toMessage().setDurable(true);
			this.originals.put(id, original);
		}
		return created;
	}

	@Override
	public void storeMessageTransactional(long transaction, Message message) throws Exception {
		super.storeMessageTransactional(transaction, message);
		deleteOriginal(message);
	}

	@Override
	public void deleteLargeMessageBody(LargeServerMessage message) throws ActiveMQException {
		super.deleteLargeMessageBody(message);
		deleteOriginal(message.toMessage());
	}

	private void deleteOriginal(Message copy) throws ActiveMQException {
		LargeServerMessageImpl original = this.originals.remove(copy.getMessageID());
		if (original != null) {
			super.deleteLargeMessageBody(original);
		}
	}

	@Override
	public void addAddressBinding(long transaction, AddressInfo address) {
		address.setId(generateID());
	}

	@Override
	public void deleteAddressBinding(long transaction, long addressId) {
		// The journal contains no addresses.
	}

	@Override
	public void addQueueBinding(long transaction, Binding binding) throws Exception {
		this.transactions.add(transaction);
		super.addQueueBinding(transaction, binding);
	}

	@Override
	public void updateQueueBinding(long transaction, Binding binding) throws Exception {
		this.transactions.add(transaction);
		super.updateQueueBinding(transaction, binding);
	}

	@Override
	public void deleteQueueBinding(long transaction, long queueId) throws Exception {
		this.transactions.add(transaction);
		super.deleteQueueBinding(transaction, queueId);
	}

	@Override
	public void commitBindings(long transaction) throws Exception {
		if (this.transactions.remove(transaction)) {
			super.commitBindings(transaction);
		}
	}

	@Override
	public void rollbackBindings(long transaction) throws Exception {
		if (this.transactions.remove(transaction)) {
			super.rollbackBindings(transaction);
		}
	}

	@Override
	public JournalLoadInformation loadBindingJournal(List<QueueBindingInfo> queues, List<GroupingInfo> groupings,
			List<AddressBindingInfo> addresses) throws Exception {
		JournalLoadInformation loaded = super.loadBindingJournal(queues, groupings, addresses);
		List<QueueConfiguration> deep = queues.stream()
			.map(QueueBindingInfo::getQueueConfiguration)
			.filter((queue) -> Topics.isFilterTooDeep(topic(queue)))
			.toList();
		for (QueueConfiguration queue : deep) {
			remove(queue);
		}
		queues.removeIf((queue) -> deep.contains(queue.getQueueConfiguration()));
		Map<SimpleString, RoutingType> found = new HashMap<>();
		for (QueueBindingInfo queue : queues) {
			QueueConfiguration configuration = queue.getQueueConfiguration();
			found.put(configuration.getAddress(), configuration.getRoutingType());
		}
		found.forEach((name, routing) -> addresses.add(new QueueAddress(generateID(), name, routing)));
		return loaded;
	}

	/** Returns the topic of a queue, or the filter, in which dots separate the levels. */
	private static String topic(QueueConfiguration queue) {
		String address = queue.getAddress().toString();
		return address.startsWith(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX)
				? address.substring(MQTTUtil.MQTT_RETAIN_ADDRESS_PREFIX.length()) : address;
	}

	/**
	 * Removes a queue that an earlier version has stored, and whose topic has too many
	 * levels. Artemis would descend into it level by level, which may overflow the stack.
	 */
	private void remove(QueueConfiguration queue) throws Exception {
		if (!queue.getAddress().toString().equals(topic(queue))) {
			clientLog.warn(
					"Removed the retained message on the topic that begins with '{}': topics have at most {} "
							+ "levels",
					topic(queue).substring(0, Topics.MAX_LEVELS / 2).replace('.', '/').replace("\\/", "."),
					Topics.MAX_LEVELS);
		}
		long transaction = generateID();
		deleteQueueBinding(transaction, queue.getId());
		commitBindings(transaction);
	}

	/** Adds bytes to a file. */
	private interface Action {

		void run() throws Exception;

	}

	/** Address of a stored queue. */
	private record QueueAddress(long id, SimpleString name, RoutingType routing) implements AddressBindingInfo {

		@Override
		public long getId() {
			return this.id;
		}

		@Override
		public SimpleString getName() {
			return this.name;
		}

		@Override
		public boolean isAutoCreated() {
			return true;
		}

		@Override
		public EnumSet<RoutingType> getRoutingTypes() {
			return EnumSet.of(this.routing);
		}

		@Override
		public @Nullable AddressStatusEncoding getAddressStatusEncoding() {
			return null;
		}

		@Override
		public boolean isInternal() {
			return false;
		}

	}

}
