package io.statestore.dafka.zmtp;

import org.zeromq.ZMQ;

/**
 * A socket and the size of the messages that wait in it. Internal: not part of the API.
 *
 * @param socket the socket
 * @param queued size of the waiting messages. The owner reports received messages to it
 */
public record GuardedSocket(ZMQ.Socket socket, QueuedBytes queued) {
}
