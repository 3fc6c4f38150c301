import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Signal } from '@lumino/signaling';

import { KernelLine } from '../kernel.js';

// what waits for a kernel that never speaks keeps no test open
(globalThis as any).window = { setTimeout: (done: () => void, wait: number) => setTimeout(done, wait).unref(), clearTimeout };

/** What JupyterLab shows of a kernel: a restart cancels what was asked, and the kernel that comes knows no line. */
class Kernel {
  status = 'idle';
  connectionStatus = 'connected';
  supportsSubshells = false;
  info = new Promise(() => undefined);
  loads = 0;
  known: string[] = [];
  asked: { resolve: (reply: any) => void; reject: (why: Error) => void; reply: () => any }[] = [];
  comms = new Map<string, any>();
  targets = new Map<string, () => void>();

  registerCommTarget(name: string, met: () => void): void {
    this.targets.set(name, met);
  }

  createComm(name: string): any {
    const comm = {
      commId: `${name}-${this.comms.size}`, isDisposed: false, onClose: () => undefined, onMsg: (_: any) => undefined,
      open: () => this.known.push(comm.commId),
      send: () => undefined
    };
    this.comms.set(comm.commId, comm);
    return comm;
  }

  requestCommInfo(): Promise<any> {
    return this.ask(() => ({ content: { status: 'ok', comms: Object.fromEntries(this.known.map(id => [id, {}])) } }));
  }

  requestExecute(): any {
    return { done: this.ask(() => ({ content: { status: 'ok' } }), () => this.loads++) };
  }

  /** Answer all that was asked so far. */
  async answer(): Promise<void> {
    for (const { resolve, reply } of this.asked.splice(0)) {
      resolve(reply());
    }
    await settle();
  }

  private ask(reply: () => any, first: () => void = () => undefined): Promise<any> {
    return new Promise((resolve, reject) => this.asked.push({ resolve, reject, reply: () => (first(), reply()) }));
  }
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

function lab(): { line: KernelLine; kernel: Kernel; hello: () => void; tell: () => void; say: (status: string) => void; connect: (status: string) => void; restart: () => void } {
  const kernel = new Kernel();
  const context: any = { session: { kernel } };
  for (const name of ['kernelChanged', 'statusChanged', 'connectionStatusChanged']) {
    context[name] = new Signal(context);
  }
  const panel: any = { sessionContext: context, context: { path: 'a.ipynb' }, content: { widgets: [], model: { defaultKernelLanguage: 'python', cells: [] } } };
  const line = new KernelLine(panel);
  const say = (status: string): void => {
    kernel.status = status;
    context.statusChanged.emit(status);
  };
  const connect = (status: string): void => context.connectionStatusChanged.emit(status);
  return {
    line, kernel, say, connect,
    hello: () => kernel.targets.get('jupyter_selfheal.hello')!(),
    tell: () => [...kernel.comms.values()].filter(comm => comm.commId.startsWith('jupyter_selfheal.state')).at(-1).onMsg({ content: { data: { phase: 'idle', status: '', on: true } } }),
    restart: () => {
      kernel.asked.splice(0).forEach(({ reject }) => reject(new Error('Canceled')));
      kernel.known = [];
      connect('connecting');
      connect('connected');
    }
  };
}

async function loaded(): Promise<ReturnType<typeof lab>> {
  const here = lab();
  here.hello();
  await settle();
  here.tell();
  assert.equal(here.line.loaded, true);
  return here;
}

test('after a restart it is loaded again', async () => {
  const { kernel, line, say, restart, hello } = await loaded();
  say('restarting');
  assert.equal(line.loaded, false);
  restart();
  say('idle');
  await kernel.answer();
  await kernel.answer();
  assert.equal(kernel.loads, 1);
  hello();
  assert.equal(line.loaded, true);
});

test('a kernel that says hello while it ends is not taken for the next, though that says idle at once', async () => {
  const { kernel, line, say, restart, hello } = await loaded();
  say('restarting');
  hello();
  await settle();
  restart();
  say('idle');
  await kernel.answer();
  assert.equal(line.loaded, false);
  await kernel.answer();
  assert.equal(kernel.loads, 1);
});

test('the same where the next kernel closes the line before it says what it knows', async () => {
  const { kernel, say, restart, hello } = await loaded();
  say('restarting');
  hello();
  await settle();
  restart();
  say('idle');
  [...kernel.comms.values()].filter(comm => comm.commId.startsWith('jupyter_selfheal-')).at(-1).onClose();
  await kernel.answer();
  await kernel.answer();
  assert.equal(kernel.loads, 1);
});

test('a restart that nobody was told of is seen when it connects', async () => {
  const { kernel, line, restart } = await loaded();
  restart();
  await kernel.answer();
  assert.equal(line.loaded, false);
  await kernel.answer();
  assert.equal(kernel.loads, 1);
});

test('a kernel that answers is asked, though its idle was missed', async () => {
  const { kernel, say, restart } = await loaded();
  say('restarting');
  kernel.status = 'unknown';
  restart();
  await kernel.answer();
  await kernel.answer();
  assert.equal(kernel.loads, 1);
});

test('a connection that was lost for a moment keeps the line', async () => {
  const { kernel, line, connect } = await loaded();
  connect('connecting');
  connect('connected');
  await kernel.answer();
  assert.equal(line.loaded, true);
  assert.equal(kernel.loads, 0);
});

test('where healing was never on nothing is loaded', async () => {
  const { kernel, say, restart } = lab();
  kernel.asked.splice(0);
  say('restarting');
  restart();
  say('idle');
  await kernel.answer();
  assert.equal(kernel.loads, 0);
});
