package io.statestore.dafka.zmtp;

import org.zeromq.ZMQ;

/**
 * A socket and the size of the messages that wait in it.
 *
 * @param socket the socket
 * @param queued to be told what was received
 */
public record GuardedSocket(ZMQ.Socket socket, QueuedBytes queued) {
}
