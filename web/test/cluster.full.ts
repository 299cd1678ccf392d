import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerEmail, ownerPassword } from '../../server/test/rig/app.ts';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { has } from '../../server/test/rig/parts.ts';
import { startSwarmServers, type SwarmServers } from '../../server/test/rig/swarm-servers.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium') && has('docker') && has('sshd'))('a cluster in a browser', () => {
  let rig: SwarmServers;
  let browser: Browser;
  let ada: Visitor;

  beforeAll(async () => {
    rig = await startSwarmServers(2, 0);
    browser = await startBrowser();
    ada = await visit(browser, rig.service.url);
    await ada.page.goto('/sign-in');
    await field('E-mail address').fill(ownerEmail);
    await field('Password').fill(ownerPassword);
    await button('Sign in').click();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.close();
  });

  const button = (name: string) => ada.page.getByRole('button', { name, exact: true });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const row = (name: string) => ada.page.getByRole('row').filter({ hasText: name });
  const choose = async (node: string, action: string) => {
    await button(`Actions for the node ${node}`).click();
    await ada.page.getByRole('menuitem', { name: action }).click();
  };
  const confirm = (name: string) =>
    ada.page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();

  it('is created from the page of a server, and joined by another one', async () => {
    const { swarm } = rig;
    await ada.page.getByRole('link', { name: 'Servers' }).click();
    await ada.page.getByRole('link', { name: /^node1/ }).click();
    await button('Create a cluster').click();
    await field('Address in the cluster').fill(swarm.addressOf(swarm.nodes[0]!));
    await pictures(ada, 'cluster-create');
    await button('Create cluster').click();
    await row('node1').getByText('ready').waitFor();
    await button('Add a server').click();
    await ada.page.getByRole('radio', { name: 'Manager' }).check();
    await field('Address in the cluster').fill(swarm.addressOf(swarm.nodes[1]!));
    await pictures(ada, 'cluster-join');
    await button('Add to the cluster').click();
    await row('node2').getByText('ready').waitFor();
    await ada.page.getByText('There are two managers').waitFor();
    await pictures(ada, 'cluster');
  }, 60_000);

  it('lets projects be deployed through another manager', async () => {
    await choose('node2', 'Deploy through this node');
    await pictures(ada, 'cluster-head');
    await confirm('Deploy through node2');
    await ada.page.getByText('Projects are deployed through node2').waitFor();
    await ada.page.getByRole('heading', { name: 'node2', level: 1 }).waitFor();
    await pictures(ada, 'cluster-head-moved');
    await choose('node1', 'Deploy through this node');
    await confirm('Deploy through node1');
    await ada.page.getByText('Projects are deployed through node1').waitFor();
    await ada.page.getByRole('link', { name: 'Servers' }).click();
    await ada.page.getByRole('link', { name: /^node2/ }).click();
    await pictures(ada, 'cluster-node');
    await ada.page.getByRole('main').getByRole('link', { name: 'node1' }).click();
    await row('node2').getByText('ready').waitFor();
  }, 60_000);

  it('drains, activates, demotes and removes a node', async () => {
    await choose('node2', 'Drain');
    await pictures(ada, 'cluster-drain');
    await confirm('Drain');
    await row('node2').getByText('drained').waitFor();
    await choose('node2', 'Activate');
    await confirm('Activate');
    await row('node2').getByText('ready').waitFor();
    await choose('node2', 'Make it a worker');
    await confirm('Make it a worker');
    await row('node2').getByText('worker').waitFor();
    await choose('node2', 'Remove from the cluster');
    await confirm('Remove');
    await ada.page.getByRole('alertdialog').waitFor({ state: 'detached', timeout: 60_000 });
    await row('node2').waitFor({ state: 'detached' });
  }, 120_000);

  it('says why the only node cannot be drained', async () => {
    await choose('node1', 'Drain');
    await confirm('Drain');
    await ada.page.getByRole('alertdialog').getByText('There is no other node').waitFor();
    await ada.page.getByText('Do it anyway').waitFor();
    await pictures(ada, 'cluster-refused');
    expect(ada.complaints).toEqual([]);
  });
});
