package io.statestore.broker.artemis.disk;

import java.io.File;

import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.persistence.StorageManager;
import org.apache.activemq.artemis.core.server.NodeManager;
import org.apache.activemq.artemis.core.server.ServiceRegistry;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.core.server.impl.InVMNodeManager;

/**
 * An Artemis server with a journal. It continues after a failure of the disk, because the
 * state store uses its connections. The owner of the directory locks it, so that the
 * server needs no lock file of its own.
 * <p>
 * Internal: not part of the API.
 */
public final class JournaledServer extends ActiveMQServerImpl {

	private final DiskState disk;

	/**
	 * Creates a server that is not started.
	 * @param configuration configuration with the directories
	 * @param services services with the threads of the server
	 * @param disk receives failures of the journal
	 */
	public JournaledServer(Configuration configuration, ServiceRegistry services, DiskState disk) {
		super(configuration, null, null, null, services);
		this.disk = disk;
	}

	@Override
	protected NodeManager createNodeManager(File directory, boolean replicatingBackup) {
		return new InVMNodeManager(replicatingBackup);
	}

	@Override
	protected StorageManager createStorageManager() {
		return new QueueJournal(getConfiguration(), getCriticalAnalyzer(), getExecutorFactory(), getScheduledPool(),
				getIOExecutorFactory(), this.disk);
	}

}
